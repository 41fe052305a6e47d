/**
 * Words of one kind that exclude each other in the same place of a sentence: one kind a line. Commas part the
 * members, a slash the names of one member.
 */
export const groups = `
colours: red, crimson, scarlet, maroon, burgundy, orange, yellow, golden, green, olive, lime, turquoise, teal, cyan, aqua, blue, navy, indigo, purple, violet, lavender, lilac, magenta, pink, brown, beige, tan, khaki, cream, ivory, white, black, gray/grey, silver, gold, bronze, copper, rainbow, multicolored/multicoloured, navy blue, light blue, dark blue, sky blue, light green, dark green, dark red, hot pink, blond/blonde, auburn, ginger, brunette, tan, peach, mauve, mustard, amber, charcoal, fuchsia, mint, rust, salmon, coral
patterns: striped, spotted, plaid, checkered/chequered, polka dot/polka dotted, floral, paisley, plain, solid, tie dyed
countries: afghanistan, albania, algeria, andorra, angola, argentina, armenia, australia, austria, azerbaijan, the bahamas/bahamas, bahrain, bangladesh, barbados, belarus, belgium, belize, benin, bhutan, bolivia, bosnia, botswana, brazil, brunei, bulgaria, burkina faso, burundi, cambodia, cameroon, canada, chad, chile, china, colombia, congo, costa rica, croatia, cuba, cyprus, czech republic/czechia, denmark, djibouti, dominican republic, ecuador, egypt, el salvador, eritrea, estonia, ethiopia, fiji, finland, france, gabon, gambia, georgia, germany, ghana, greece, greenland, grenada, guatemala, guinea, guyana, haiti, honduras, hungary, iceland, india, indonesia, iran, iraq, ireland, israel, italy, ivory coast, jamaica, japan, jordan, kazakhstan, kenya, kosovo, kuwait, kyrgyzstan, laos, latvia, lebanon, lesotho, liberia, libya, liechtenstein, lithuania, luxembourg, macedonia, madagascar, malawi, malaysia, maldives, mali, malta, mauritania, mauritius, mexico, moldova, monaco, mongolia, montenegro, morocco, mozambique, myanmar/burma, namibia, nepal, netherlands/the netherlands/holland, new zealand, nicaragua, niger, nigeria, north korea, norway, oman, pakistan, palestine, panama, papua new guinea, paraguay, peru, philippines/the philippines, poland, portugal, puerto rico, qatar, romania, russia, rwanda, samoa, san marino, saudi arabia, senegal, serbia, seychelles, sierra leone, singapore, slovakia, slovenia, somalia, south africa, south korea, south sudan, spain, sri lanka, sudan, suriname, sweden, switzerland, syria, taiwan, tajikistan, tanzania, thailand, togo, tonga, trinidad, tunisia, turkey, turkmenistan, uganda, ukraine, united arab emirates/uae, united kingdom/uk/great britain/britain, england, scotland, wales, united states/usa/us/united states of america/america, uruguay, uzbekistan, vatican, venezuela, vietnam, yemen, zambia, zimbabwe, hong kong, tibet, korea
nationalities: afghan, african, albanian, algerian, american, angolan, arab/arabic, argentinian/argentine/argentinean, armenian, asian, australian, austrian, azerbaijani, bahraini, bangladeshi, belarusian, belgian, bolivian, bosnian, brazilian, british, bulgarian, burmese, cambodian, cameroonian, canadian, chilean, chinese, colombian, congolese, croatian, cuban, cypriot, czech, danish, dominican, dutch, ecuadorian, egyptian, english, estonian, ethiopian, european, filipino/philippine, finnish, french, georgian, german, ghanaian, greek, guatemalan, haitian, hawaiian, honduran, hungarian, icelandic, indian, indonesian, iranian/persian, iraqi, irish, israeli, italian, jamaican, japanese, jordanian, kazakh, kenyan, korean, kurdish, kuwaiti, laotian, latvian, lebanese, liberian, libyan, lithuanian, luxembourgish, macedonian, malaysian, maltese, mexican, moldovan, mongolian, moroccan, namibian, native american, nepalese/nepali, new zealand, nicaraguan, nigerian, north korean, norwegian, omani, pakistani, palestinian, panamanian, paraguayan, peruvian, polish, portuguese, puerto rican, qatari, romanian, russian, rwandan, salvadoran, saudi, scandinavian, scottish, senegalese, serbian, singaporean, slovak/slovakian, slovenian, somali, south african, south american, south korean, spanish, sri lankan, sudanese, swedish, swiss, syrian, taiwanese, tanzanian, thai, tibetan, tunisian, turkish, ugandan, ukrainian, uruguayan, uzbek, venezuelan, vietnamese, welsh, yemeni, zambian, zimbabwean, hispanic, latin american, bengali, hindi, hebrew, mandarin, cantonese, swahili, catalan
continents: africa, antarctica, asia, australia, europe, north america, south america
cities: amsterdam, athens, atlanta, baghdad, bangkok, barcelona, beijing, berlin, bogota, boston, brussels, bucharest, budapest, buenos aires, cairo, cape town, chicago, cologne, copenhagen, dallas, delhi/new delhi, denver, dublin, edinburgh, florence, frankfurt, geneva, hamburg, hanoi, havana, helsinki, houston, istanbul, jakarta, jerusalem, johannesburg, kyoto, kyiv/kiev, lagos, las vegas, lima, lisbon, london, los angeles, madrid, manchester, manila, melbourne, mexico city, miami, milan, montreal, moscow, mumbai, munich, nairobi, naples, new york/new york city, osaka, oslo, paris, philadelphia, phoenix, prague, reykjavik, rio de janeiro, rome, rotterdam, san diego, san francisco, sao paulo, seattle, seoul, shanghai, sofia, stockholm, sydney, tehran, tel aviv, tokyo, toronto, vancouver, venice, vienna, warsaw, washington, zagreb, zurich
us states: alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, hawaii, idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota, mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey, new mexico, north carolina, north dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, south carolina, south dakota, tennessee, texas, utah, vermont, virginia, west virginia, wisconsin, wyoming
weekdays: monday/mon, tuesday/tue/tues, wednesday/wed, thursday/thu/thurs, friday/fri, saturday/sat, sunday
months: january/jan, february/feb, march, april/apr, may, june/jun, july/jul, august/aug, september/sep/sept, october/oct, november/nov, december/dec
seasons: spring, summer, autumn, winter
quarters: q1, q2, q3, q4
parts of day: morning, noon, afternoon, evening, night, midnight
relative days: yesterday, today, tomorrow
relative weeks: last week, this week, next week
relative months: last month, this month, next month
relative years: last year, this year, next year
coming spans: next week, next month, next quarter, next year
past spans: last week, last month, last quarter, last year
directions: north, south, east, west
holidays: christmas, easter, halloween, thanksgiving, new year, ramadan, hanukkah, passover, diwali
vegetables: artichoke, arugula, asparagus, avocado, bean, beet/beetroot, broccoli, brussels sprout, cabbage, carrot, cauliflower, celery, chard, chickpea, chili, corn, cucumber, eggplant/aubergine, endive, fennel, garlic, green bean, kale, leek, lentil, lettuce, mushroom, okra, olive, onion, parsnip, pea, pepper, bell pepper, potato, pumpkin, radish, rhubarb, scallion, shallot, spinach, squash, sweet potato, tomato, turnip, yam, zucchini/courgette, ginger, bok choy
fruits: apple, apricot, banana, blackberry, blueberry, cherry, coconut, cranberry, date, dragonfruit, fig, grape, grapefruit, guava, kiwi, lemon, lime, lychee, mango, melon, nectarine, orange, papaya, passion fruit, peach, pear, pineapple, plum, pomegranate, raspberry, strawberry, tangerine, watermelon
drinks: ale, beer, lager, stout, bourbon, brandy, champagne, chocolate milk, cider, cocktail, cocoa, hot chocolate, coffee, cognac, cola, coke, diet coke, pepsi, espresso, cappuccino, latte, gin, ginger ale, iced tea, juice, orange juice, apple juice, lemonade, margarita, martini, mead, milk, milkshake, mineral water, port, prosecco, punch, root beer, rum, sake, scotch, sherry, smoothie, soda, sprite, tea, green tea, tequila, tonic, vermouth, vodka, water, whisky/whiskey, wine, red wine, white wine, soy milk, kombucha, absinthe, liqueur
meals: breakfast, brunch, lunch, dinner, supper, snack, dessert
foods: bacon, bagel, bread, burger/hamburger, burrito, cake, candy, cereal, cheese, cheesecake, chicken, chocolate, cookie, croissant, cupcake, curry, donut/doughnut, dumpling, egg, fish, french fry, ham, hot dog, hotdog, ice cream, jam, lasagna, lobster, muffin, noodle, nut, oatmeal, omelette/omelet, pancake, pasta, pie, pizza, popcorn, pork, pretzel, pudding, quiche, ramen, rice, salad, salmon, sandwich, sausage, shrimp, soup, spaghetti, steak, stew, sushi, taco, toast, tofu, tuna, turkey, waffle, yogurt/yoghurt
meats: beef, chicken, duck, goat, lamb, pork, turkey, veal, venison, mutton
instruments: accordion, bagpipe, balalaika, banjo, baritone, bass, bass guitar, bassoon, bongo, bugle, castanet, cello, clarinet, cornet, cymbal, didgeridoo, double bass, drum, dulcimer, electric guitar, acoustic guitar, euphonium, fiddle, flute, french horn, gong, guitar, harmonica, harp, harpsichord, horn, kazoo, keyboard, lute, lyre, mandolin, maraca, marimba, oboe, ocarina, organ, pan flute, percussion, piano, piccolo, recorder, saxophone/sax, sitar, snare drum, synthesizer, tabla, tambourine, timpani, triangle, trombone, trumpet, tuba, ukulele, viola, violin, xylophone, zither
planets: mercury, venus, earth, mars, jupiter, saturn, uranus, neptune, pluto, moon
materials: aluminum/aluminium, bamboo, brass, brick, bronze, canvas, cardboard, cashmere, cement, ceramic, clay, concrete, copper, cork, cotton, crystal, denim, fabric, felt, fiberglass, flannel, foam, fur, glass, gold, granite, gravel, iron, ivory, lace, latex, leather, limestone, linen, marble, metal, mud, nylon, paper, plaster, plastic, platinum, polyester, porcelain, rubber, sand, sandstone, satin, silicone, silk, silver, slate, steel, stainless steel, stone, straw, styrofoam, suede, tile, tin, titanium, velvet, vinyl, wax, wicker, wire, wood/wooden, wool/woolen/woollen, oak, pine, diamond, adobe, asphalt, cobblestone, ice, tweed, spandex, lead, zinc, nickel, chrome
rooms: attic, auditorium, balcony, ballroom, bar, basement, bathroom, bedroom, boardroom, break room, cafeteria, cell, cellar, changing room, classroom, closet, common room, computer room, conference room, corridor, court room, courtroom, den, dining room, dormitory, dressing room, elevator, emergency room, family room, fitting room, foyer, furnace room, game room, garage, guest room, gym, hall, hallway, hospital room, hotel room, kitchen, laboratory, laundry room, library, living room, lobby, locker room, lounge, mail room, meeting room, nursery, office, operating room, pantry, parlor/parlour, playroom, powder room, prison cell, shower, storage room, studio, study, sunroom, theater/theatre, toilet, utility room, waiting room, washroom, workshop, restroom, bathtub, drawing room, staff room, store room, throne room, darkroom, engine room, living area, vault, greenhouse, porch, stairwell
buildings: apartment, bank, barn, cabin, castle, cathedral, church, college, factory, farm, gas station, hospital, hotel, house, library, mall, market, mosque, museum, palace, prison, pub, restaurant, school, shed, shopping mall, skyscraper, stadium, store, supermarket, synagogue, temple, tent, theater/theatre, university, warehouse, zoo, airport, bakery, cafe, casino, gym, office building, train station, bus station
landscapes: beach, canyon, cave, cliff, desert, field, forest, garden, glacier, hill, island, jungle, lake, meadow, mountain, ocean, park, pond, prairie, river, swamp, valley, volcano, waterfall, woods, pool, swimming pool
animals: alligator, ant, bat, bear, beaver, bee, bird, buffalo, bull, butterfly, camel, cat, cheetah, chicken, chimpanzee, cow, crab, crocodile, crow, deer, dog, dolphin, donkey, duck, eagle, elephant, ferret, fish, flamingo, fly, fox, frog, giraffe, goat, goose, gorilla, hamster, hawk, hedgehog, hippo/hippopotamus, horse, hyena, iguana, jaguar, jellyfish, kangaroo, koala, leopard, lion, lizard, llama, lobster, monkey, moose, mouse, octopus, ostrich, otter, owl, ox, panda, panther, parrot, peacock, penguin, pig, pigeon, polar bear, pony, rabbit, raccoon, rat, rhino/rhinoceros, rooster, seal, shark, sheep, skunk, snail, snake, spider, squirrel, swan, tiger, turkey, turtle, walrus, whale, wolf, worm, zebra
vehicles: airplane/plane/aeroplane, ambulance, bicycle/bike, boat, bus, cab/taxi, canoe, car, cart, ferry, fire truck, helicopter, jeep, kayak, limousine, motorcycle/motorbike, raft, rowboat, sailboat, scooter, ship, skateboard, sled, sleigh, snowmobile, speedboat, submarine, subway, surfboard, tank, tractor, train, tram, tricycle, truck, unicycle, van, wagon, yacht
sports: archery, badminton, baseball, basketball, bowling, boxing, cricket, curling, dodgeball, fencing, field hockey, football, frisbee, golf, gymnastics, handball, hockey, ice hockey, judo, karate, lacrosse, ping pong/table tennis, polo, racquetball, rugby, snooker, soccer, softball, squash, surfing, swimming, tennis, volleyball, water polo, wrestling
games: backgammon, checkers, chess, dominoes, monopoly, poker, scrabble, solitaire
clothes: bathing suit/swimsuit, bikini, blazer, blouse, cap, cardigan, coat, dress, glove, gown, hat, helmet, hoodie, jacket, jersey, jumpsuit, kilt, kimono, pajama, pants, raincoat, robe, sandal, sari, scarf, shirt, shorts, skirt, slipper, sneaker, sock, suit, sweater, sweatshirt, tank top, tie, toga, tunic, turban, tuxedo, uniform, vest, wetsuit, jeans, boot
furniture: armchair, bed, bench, bookcase, cabinet, chair, couch/sofa, cradle, crib, cupboard, desk, dresser, hammock, recliner, shelf, stool, table, wardrobe
occupations: accountant, actor, architect, artist, astronaut, baker, barber, bartender, biologist, bricklayer, builder, butcher, carpenter, cashier, chef, chemist, clown, coach, cop, cowboy, dancer, dentist, designer, detective, doctor, driver, electrician, engineer, farmer, firefighter/fireman, fisherman, florist, gardener, hairdresser, janitor, journalist, judge, lawyer, librarian, mailman, mechanic, miner, monk, musician, nun, nurse, painter, pharmacist, photographer, physicist, pilot, plumber, police officer/policeman, politician, priest, programmer, psychologist, sailor, scientist, sculptor, secretary, shepherd, singer, soldier, surgeon, tailor, teacher, veterinarian, waiter, welder, writer
postures and motions: sitting, standing, lying, kneeling, crouching, squatting, walking, running, jogging, sleeping, crawling, swimming, flying, jumping, dancing, cycling, skating, skiing, surfing, climbing, driving, marching, skydiving, rowing, sledding
body parts: ankle, arm, back, chest, chin, ear, elbow, eye, eyebrow, face, finger, foot, forehead, hair, hand, head, heel, hip, knee, leg, lip, mouth, neck, nose, shoulder, stomach, thigh, throat, thumb, toe, tongue, tooth, waist, wrist
senses: seeing, hearing, smelling, tasting, touching
family: mother/mom/mum, father/dad, brother, sister, aunt, uncle, cousin, grandmother/grandma, grandfather/grandpa, son, daughter, nephew, niece, husband, wife
religions: buddhist, catholic, christian, hindu, jewish, muslim, protestant, sikh, atheist
currencies: bitcoin, dollar/usd, euro/eur, franc/chf, peso, pound/gbp, rupee/inr, ruble, yen/jpy, yuan/cny, won, krona/sek
metals and medals: gold medal, silver medal, bronze medal
shapes: circle, cube, cylinder, diamond, hexagon, oval, pentagon, pyramid, rectangle, sphere, square, star, triangle
weather: cloudy, foggy, rainy, snowy, stormy, sunny, windy
tree kinds: birch, cedar, cypress, elm, fir, maple, oak, palm, pine, spruce, willow
flowers: carnation, daffodil, daisy, dandelion, iris, lily, marigold, orchid, poppy, rose, sunflower, tulip, violet
blood types: type a, type b, type ab, type o
school levels: kindergarten, elementary school, middle school, high school, college, university
marital status: single, married, divorced, widowed, engaged
package managers: npm, pnpm, yarn, bun
python package managers: pip, poetry, pipenv, conda, uv, pdm, hatch
system package managers: apt, brew/homebrew, dnf, yum, pacman, apk, nix, choco/chocolatey, scoop, winget, snap, flatpak
java build tools: maven, gradle, ant, bazel, sbt
build tools: make, cmake, bazel, ninja, meson, just, nx, turborepo, lerna, buck
databases: postgres/postgresql, mysql, mariadb, sqlite, oracle, sql server/mssql, mongodb/mongo, cassandra, dynamodb, cockroachdb, couchdb, duckdb, firestore, neo4j, clickhouse, snowflake, bigquery, redshift, supabase, planetscale, scylladb, influxdb, timescaledb
caches: redis, memcached, valkey, dragonfly, varnish
vector stores: pinecone, weaviate, qdrant, milvus, chroma, pgvector, faiss
search engines: elasticsearch, opensearch, solr, algolia, meilisearch, typesense
queues: rabbitmq, kafka, sqs, nats, pulsar, celery, sidekiq, activemq, zeromq, bullmq, pubsub
languages: ada, c, c++/cpp, c#/csharp, clojure, cobol, crystal, dart, elixir, elm, erlang, f#, fortran, go/golang, groovy, haskell, java, javascript/js, julia, kotlin, lisp, lua, nim, objective c, ocaml, pascal, perl, php, python, r, ruby, rust, scala, scheme, swift, typescript/ts, zig
runtimes: node/node.js/nodejs, deno, bun
frontend frameworks: react, vue/vue.js, svelte, angular, solid, preact, ember, qwik, lit, alpine, backbone, htmx
meta frameworks: next.js/nextjs, nuxt, sveltekit, remix, astro, gatsby, tanstack start
web frameworks: django, flask, fastapi, rails/ruby on rails, laravel, express, fastify, koa, hono, nestjs, spring/spring boot, gin, fiber, phoenix, actix, axum, rocket, symfony, sinatra
mobile frameworks: flutter, react native, ionic, xamarin, swiftui, jetpack compose
desktop frameworks: electron, tauri, qt, gtk, wpf
state libraries: redux, zustand, mobx, recoil, jotai, pinia, vuex, xstate
styling: tailwind, bootstrap, bulma, css modules, styled components, emotion, sass/scss, less
bundlers: webpack, vite, rollup, esbuild, parcel, rspack, turbopack, tsdown, tsup, snowpack, swc
test runners: jest, vitest, mocha, ava, jasmine, karma, pytest, unittest, nose, rspec, minitest, junit, testng, phpunit
browser test tools: cypress, playwright, selenium, puppeteer, webdriverio, testcafe
linters and formatters: eslint, biome, oxlint, tslint, jshint, standard, prettier, dprint, black, ruff, flake8, pylint, rubocop, clippy, golangci lint
editors: vim, neovim/nvim, emacs, nano, vs code/vscode/visual studio code, sublime/sublime text, atom, intellij, webstorm, pycharm, cursor, zed, helix, notepad++, xcode, eclipse, visual studio, android studio
clouds: aws/amazon web services, azure, gcp/google cloud, digitalocean, hetzner, linode, oracle cloud, ovh, scaleway
hosts: heroku, vercel, netlify, fly/fly.io, render, railway, cloudflare pages, github pages, cloudflare workers, cloud run, app engine, elastic beanstalk, lambda
operating systems: linux, windows, macos/mac os/osx, freebsd, openbsd, chromeos
linux distributions: ubuntu, debian, fedora, arch/arch linux, alpine, centos, rhel, nixos, gentoo, mint, opensuse, manjaro, rocky
mobile systems: ios, android
ci systems: github actions, gitlab ci, circleci, jenkins, travis/travis ci, buildkite, teamcity, azure pipelines, drone, bitbucket pipelines, woodpecker, semaphore
code hosts: github, gitlab, bitbucket, codeberg, gitea, forgejo, sourcehut
version control: git, mercurial, svn/subversion, perforce, jujutsu
container tools: docker, podman, containerd
orchestrators: kubernetes/k8s, nomad, docker swarm, ecs, openshift, docker compose
infrastructure tools: terraform, pulumi, opentofu, cloudformation, cdk, ansible, chef, puppet, saltstack
monitoring: datadog, grafana, new relic, prometheus, splunk, sentry, honeycomb, rollbar, bugsnag, cloudwatch, grafana loki, loki, kibana
orms: prisma, drizzle, typeorm, sequelize, knex, kysely, sqlalchemy, hibernate, active record, mikroorm, objection
migration tools: flyway, liquibase, alembic
validators: zod, yup, joi, valibot, ajv, pydantic, typebox, superstruct
http clients: axios, fetch, got, ky, superagent, undici, requests, httpx
date libraries: moment/moment.js, luxon, dayjs, date fns
template languages: handlebars, mustache, ejs, pug, jinja, liquid
auth providers: auth0, okta, clerk, cognito, keycloak, firebase auth
auth methods: jwt, session cookies, basic auth, oauth, saml, api keys, mtls
secret stores: vault, 1password, doppler, aws secrets manager, bitwarden, lastpass
api styles: rest, graphql, grpc, trpc, soap, json rpc
formats: json, yaml/yml, toml, xml, csv, protobuf, avro, ini, msgpack, parquet, markdown, asciidoc, html, pdf
shells: bash, zsh, fish, powershell, nushell, ksh
terminals: iterm, alacritty, kitty, wezterm, ghostty, warp, hyper
multiplexers: tmux, zellij, screen
browsers: chrome, firefox, safari, edge, opera, brave, arc
chat tools: slack, discord, teams/microsoft teams, telegram, irc, mattermost, zulip, whatsapp, signal
trackers: jira, linear, asana, trello, shortcut, github issues, youtrack, clickup, monday.com
note tools: notion, confluence, obsidian, google docs, evernote
design tools: figma, sketch, adobe xd, penpot
meeting tools: zoom, google meet, webex, skype
payment providers: stripe, paypal, adyen, braintree, square, mollie, klarna
mail providers: sendgrid, mailgun, postmark, ses, resend, mailchimp
models: gpt 4, gpt 5, claude, gemini, llama, mistral, deepseek, qwen, grok
model vendors: openai, anthropic, google, meta
coding agents: claude code, codex, opencode, gemini cli, aider, cline, copilot
case styles: camelcase/camel case, snake_case/snake case, kebab-case/kebab case, pascalcase/pascal case, screaming_snake_case
indentation: tabs, spaces
quotes: single quotes, double quotes, backticks
merge strategies: squash/squash merge, rebase, merge commit, fast forward
branches: main, master, trunk, develop, dev, stable, production
log levels: trace, debug, info, warn/warning, error, fatal
visibility: public, private, internal, protected
licences: mit, apache/apache 2.0, gpl, lgpl, agpl, bsd, isc, mpl, unlicense, proprietary
line endings: lf, crlf, cr
encodings: utf 8, utf 16, ascii, latin 1, iso 8859 1
timezones: utc/gmt, cet, cest, est, edt, pst, pdt, cst, mst, ist, jst, bst, aest
release stages: alpha, beta, release candidate, stable, nightly, canary
architectures: x86/x86_64/amd64, arm/arm64/aarch64, riscv
paradigms: functional, object oriented, procedural, imperative, declarative
architecture styles: monolith, microservices, serverless, monorepo, polyrepo
module systems: esm/es modules, commonjs/cjs, amd, umd
deploy strategies: blue green, rolling, canary
rates: per second, per minute, per hour, per day, per week, per month, per year
rhythms: hourly, daily, nightly, weekly, biweekly, monthly, quarterly, yearly/annually
sizes: tiny, small, medium, large, huge
shirt sizes: xs, xl, xxl
temperatures: hot, warm, lukewarm, cool, cold
export styles: named export, default export
priorities: p0, p1, p2, p3
severity: low, medium, high, critical
status: open, closed, in progress, in review, blocked, done, merged, cancelled/canceled, draft
http methods: get, post, put, patch, delete
roles: admin, editor, viewer, guest, owner, member
seniority: junior, senior, principal, intern
hash algorithms: md5, sha1, sha256, sha512, bcrypt, argon2, scrypt
package formats: deb, rpm, appimage
protocols: http, https, ftp, sftp, ssh, websocket, mqtt, udp, tcp
css units: px, em, rem
keyboard layouts: qwerty, dvorak, colemak, azerty, qwertz
testing styles: tdd, bdd
process styles: scrum, kanban, waterfall
image formats: png, jpeg/jpg, gif, svg, webp, avif
`

/** Kinds that tell which of several things is meant: they part two statements, they do not oppose them. */
export const scopeGroups = `
environments: production/prod, staging, development, test environment, qa, preview, sandbox, local environment
parts: frontend/front end, backend/back end, api, ui, cli, web app/web application, mobile app/mobile application, admin, dashboard, docs site, website, worker, scheduler, gateway, database, cache, queue
packages: core, shared, common, utils, client, server
layers: unit, integration, e2e/end to end, browser, smoke, load, regression
`
