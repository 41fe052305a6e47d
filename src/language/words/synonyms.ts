/** Words that mean the same for our purpose, one set a line; the first names the set. */
export const synonyms = `
about, approximately, roughly, circa
account, user account
administrator, admin
adore, love
adhere to, comply with
afraid, scared, frightened
aid, assist, help
ally, allied
also, too, as well, additionally, besides
always, at all times, every time
amazed, astonished
amount, quantity
angry, mad
answer, reply, respond
answers, replies, responses
api, apis
app, application
appear, seem
argument, arg
arrive at, reach
ask, inquire
asynchronous, async
authentication, auth, authn
authorization, authz
automobile, car, auto
awful, terrible, horrible
baby, infant
bag, sack
battle, fight
beach, seashore
beautiful, gorgeous, pretty
because, since, as
begin, start, commence
below, beneath, underneath, under
beside, next to, near, close to, by, adjacent to, nearby, close by
bicycle, bike, cycle
big, large
huge, enormous, gigantic, massive
boat, vessel
boolean, bool
boss, supervisor
boy, lad
branch, git branch
brave, courageous
brief, short, concise, succinct, terse
bright, brilliant
broad, wide
bug, defect
bureau, agency
buy, purchase
calm, peaceful, tranquil
can, may, could, is able to, are able to, be able to
cap, hat
careful, cautious
carefully, cautiously
cellphone, cell phone, mobile phone
phone, telephone
certain, sure
certificate, cert
change, modify, alter
characters, chars
cheap, inexpensive
child, kid
children, kids
choose, pick, select
city, town
clean, tidy
clever, smart, intelligent
climb, scale
close, shut
closed, shut
coast, shore, seaside
color, colour
colorful, colourful
command line, cli, command-line
comment, remark
competition, contest
complete, finish
completely, entirely, fully, wholly, totally
configuration, config, configurations, configs
configure, set up
constant, const
conversation, chat
cop, police officer, policeman
correct, right
couch, sofa
create, make
credentials, creds
crowd, mob, throng
cut, slice
cycle, ride a bike
dad, father, daddy
daily, every day, each day
danger, peril
dangerous, hazardous
database, db, data base
dependency, dep, dependencies, deps
deployment, deploy, deployments, deploys
desert, wasteland
desire, want
destroy, ruin, demolish
developer, dev, programmer, engineer
development environment, dev environment, dev
devices, gadgets
difficult, hard
dine, eat
directory, folder, dir
dirty, filthy
disable, turn off, switch off, deactivate
disabled, turned off, switched off, off, deactivated
documentation, docs, doc
doctor, physician
dog, canine
donate, give
dress, gown
drink, beverage
drowsy, sleepy
each, every
earth, world
easy, simple
elderly, old, aged
email, e mail, e-mail
employ, hire
empty, vacant
enable, turn on, switch on, activate
enabled, turned on, switched on, on, activated
end, finish
endpoint, end point
enjoy, like, prefer, be fond of, favor, favour
enough, sufficient
entire, whole, complete
environment, env, environments, envs
environment variable, env var, env variable
environment variables, env vars, env variables
error, err
essential, crucial, vital
exam, examination
examine, inspect
executable, binary
expensive, costly, pricey
famous, well known
fast, quick, rapid, swift
fat, overweight, obese
father, dad
feature, functionality
film, movie
fireman, firefighter
fix, repair, mend
fixes, repairs
floor, ground
footwear, shoes
footpath, path, trail
forbidden, prohibited, banned, disallowed
force push, force-push, forcepush
forest, woods, woodland
fortunate, lucky
frequently, often
freshly, newly
friend, buddy, pal
function, func, fn
funny, amusing, humorous
garbage, trash, rubbish
garden, yard
gather, collect, assemble
gaze, stare, look
gentleman, man, guy, bloke, fellow
girl, lass
glad, happy, pleased, joyful, cheerful, delighted, content, joyous
glasses, spectacles, eyeglasses
go, proceed
grass, lawn, grassy area
grin, smile
ground, soil, dirt
group, bunch
guard, protect
hallway, corridor, passage
handsome, good looking
happen, occur, take place
happens, occurs, takes place
hello, hi
hold, grasp, grip
home, house
hug, embrace
hurry, rush
identifier, id
identical, same
ill, sick, unwell
immediately, at once, right away, instantly
implementation, impl
important, significant
in front of, before
information, info
infrastructure, infra
initialise, initialize, init
inside, within, indoors
javascript, js
job, task
jog, run
jump, leap, hop
keep, retain
kitten, kitty
kubernetes, k8s
lady, woman
ladies, women
language, lang
laptop, notebook computer
large, big
last, final
later, afterwards, subsequently
leap, jump
library, lib, libraries, libs
licence, license
lift, raise
little, small
look at, watch, view, observe
loud, noisy
machine, computer
mail, post
maintain, take care of
make sure, ensure
mandatory, required, compulsory, obligatory
many, a lot of, lots of, numerous
maximum, max, maximal
meal, repast
message, msg
middle, center, centre
minimum, min, minimal
mobile, cellphone
mom, mother, mum, mommy, mama
motorcycle, motorbike
mountain, mount
must, has to, have to, need to, needs to, is required to, are required to, shall
nation, country
near, close to
neat, tidy
nice, pleasant
node, node.js, nodejs
normally, usually, typically, generally
observe, watch
ocean, sea
ok, okay, fine, alright, acceptable, allowed, permitted
old, aged
only, solely, exclusively, just
operating system, os
option, flag
organization, organisation, org
outside, outdoors, out of doors
package, pkg
packages, pkgs
parameter, param
parameters, params
password, passwd
path, pathway
pause, break
people, persons, folks
performance, perf
permit, allow, let
person, human, human being
photo, photograph, picture, pic, image
photos, photographs, pictures, pics, images
place, put
plane, airplane, aeroplane, aircraft
point, spot
police officer, policeman
pretend, feign
production, prod, live
pull request, pr, merge request, mr
pull requests, prs, merge requests, mrs
pup, puppy
quiet, silent
quickly, fast, rapidly, swiftly
rabbit, bunny
race, competition
recommended, advised
reference, ref
region, area
remove, delete, erase
repository, repo, codebase, code base
repositories, repos
require, need
rest, relax
restroom, washroom
return, come back, go back
rich, wealthy
rise, go up
road, street, roadway
robber, thief
rock, stone
room, chamber
rubbish, garbage
sad, unhappy, sorrowful, miserable
sail, cruise
scared, afraid
scream, yell, shout
see, spot
seldom, rarely, infrequently
several, a few, some, a couple of
shop, store
should, ought to
shore, beach
shut, close
sidewalk, pavement
sleep, slumber
sleepy, tired
slim, thin, slender, skinny
small, little, tiny
smart, intelligent
soccer, football
somebody, someone, a person, person
source code, code
speak, talk
specification, spec
specifications, specs
sprint, run fast
stay, remain
stone, rock
stop, halt, quit, cease
story, tale
street, road
strong, powerful
student, pupil
stroll, walk
style guide, styleguide
suggest, propose
sunglasses, shades
synchronous, sync
teacher, instructor
teenager, teen, adolescent, teenaged
temporary, tmp, temp
temporarily, for now, for the time being
terminal, console
test, tests
throw, toss, hurl, fling
timezone, time zone, tz
timeout, time out
ttl, time to live
trash, garbage
travel, journey
trip, journey
tv, television
typescript, ts
ugly, unattractive
uncommon, rare
under, beneath
unhappy, sad
until, till
use, utilize, utilise, employ, make use of
user, i, the user
username, user name
using, with, via, by means of
vacation, holiday
variable, var
variables, vars
vehicle, automobile
version, release
very, extremely, really, highly
visual studio code, vs code, vscode
walk, stroll
wallet, purse
watch, look at, view
wedding, marriage
weekly, every week, each week
monthly, every month, each month
yearly, annually, every year, each year
hourly, every hour
weep, cry, sob
wide, broad
wood, wooden
woman, lady
write, author
wrong, incorrect
youngster, youth
live, reside, be located
replace, substitute, swap
utility, util
postgres, postgresql
synchronise, synchronize
behavior, behaviour
favorite, favourite
honor, honour
center, centre
theater, theatre
gray, grey
analyse, analyze
optimise, optimize
organise, organize
serialise, serialize
customise, customize
catalogue, catalog
dialogue, dialog
jewelry, jewellery
pajamas, pyjamas
tire, tyre
traveler, traveller
whisky, whiskey
airplane, plane
alongside, beside
apparel, clothing, clothes
applaud, clap
aged, elderly
automated, automatic
awaken, wake up
backyard, back yard
bathe, take a bath
bike, bicycle
bloom, blossom
cabin, hut
carry, bear
casual, informal
cellar, basement
chef, cook
chop, cut up, cut
chuckle, laugh, giggle
clothed, dressed
cookie, biscuit
costume, outfit
crossroad, intersection
daybreak, dawn, sunrise
dusk, sunset, nightfall
damp, moist
downtown, city center, city centre
drowse, nap, doze
elevator, lift
exercise, work out
exhausted, worn out
faucet, tap
fall, autumn
flashlight, torch
forbid, prohibit, ban, disallow
gasoline, petrol
giant, huge
glance, look
graveyard, cemetery
hike, trek
infrequent, rare
instructor, coach
internet, web
ladder, stepladder
leash, lead
lawyer, attorney
loudly, noisily
mend, fix
mist, fog
murder, kill
pants, trousers
patio, terrace
perform, carry out, execute
pier, dock
prison, jail
quarrel, argue
raincoat, rain jacket
repeatedly, again and again
scarf, shawl
scent, smell
shine, glow
shrub, bush
silently, quietly
slope, incline
snooze, nap
soil, earth
sweater, jumper, pullover
sneakers, trainers
swimsuit, bathing suit
swiftly, quickly
tale, story
taxi, cab, taxicab
t-shirt, t shirt, tee shirt, tshirt, tee
trail, path
truck, lorry
tune, melody
umbrella, parasol
unclothed, naked, nude
wander, roam
weapon, arm
yell, shout
in, at, on
with, using, via
within, inside
to, towards, toward
panda, panda bear
skillet, frying pan
fetch, retrieve
bicyclist, cyclist
rhino, rhinoceros
chimp, chimpanzee
blond, blonde
racquet, racket
mustache, moustache
makeup, make up, cosmetics
midair, mid air
onstage, on stage
slice up, slice
chop up, chop
dice up, dice
capsicum, bell pepper
hamburger, burger
woodland, forest
cosmetic, makeup
police officer, cop
couch, settee
rooster, cock
into, in
onto, on
strike, hit
feed, give food to
shrimp, prawn
roller skate, rollerblade
blackboard, chalkboard
squirt gun, water gun, water pistol
participate in, take part in
snowy, snow covered
dachshund, sausage dog
`

/** Words that name a kind and words of that kind: they can be true together and are not the same. */
export const broader = `
write: rewrite
person, human, somebody, someone: man, woman, boy, girl, child, kid, lady, guy, player, worker, adult, teenager, baby, human, individual, rider, biker, cyclist, someone, somebody, student, musician, singer, dancer, chef, cook, doctor, friend, swimmer, skier, surfer, skater, runner, performer, artist, soldier, toddler, gentleman, male, female, fan, spectator, athlete, actor, people
people: men, women, boys, girls, children, kids, guys, ladies, players, workers, adults, teenagers, group, crowd, team, family, couple, friends, persons
child, kid: boy, girl, baby, toddler, infant, teenager
children, kids: boys, girls, kids, babies
man: guy, boy, gentleman, biker, cyclist, player, rider, chef, cook, climber, singer, dancer, soldier, musician, male
woman: lady, girl, chef, cook, singer, dancer, player, female
animal: dog, cat, horse, cow, monkey, bird, panda, elephant, tiger, lion, puppy, kitten, rabbit, squirrel, fish, sheep, deer, lemur, hamster, turtle, pet, creature, wolf, fox, bear
dog: puppy, poodle, retriever, terrier, bulldog, collie, greyhound, husky, labrador, dachshund, hound, beagle, pup, boxer, dalmatian
cat: kitten, kitty
bird: parrot, eagle, duck, chicken, pigeon, seagull, gull, owl, swan
fish: salmon, tuna, trout, shark, goldfish
horse: pony, mare, stallion
food: vegetable, fruit, meat, bread, meal, pizza, rice, pasta, sandwich, egg, cheese, cake, ham, chicken, fish, snack, potato, onion, carrot, garlic
meat: ham, beef, chicken, pork, steak, bacon, lamb, turkey, veal, sausage
vegetable: artichoke, asparagus, bean, beet, broccoli, cabbage, carrot, cauliflower, celery, corn, cucumber, eggplant, garlic, kale, leek, lettuce, mushroom, onion, pea, pepper, potato, pumpkin, radish, spinach, squash, tomato, turnip, zucchini, avocado, okra, lentil, okra
fruit: apple, apricot, banana, berry, blueberry, cherry, grape, lemon, lime, mango, melon, orange, peach, pear, pineapple, plum, raspberry, strawberry, watermelon, kiwi, fig, papaya
drink: water, beer, wine, juice, coffee, tea, milk, soda, vodka, whisky, rum, gin, lemonade, cocktail, champagne, cola, cider
juice: lemonade, orange juice, apple juice
alcohol: beer, wine, vodka, whisky, rum, gin, tequila, champagne, brandy, cider, liquor
wine: champagne, red wine, white wine, prosecco, port, sherry
beer: ale, lager, stout
soda: cola, coke, pepsi, sprite, root beer, ginger ale
whisky: bourbon, scotch
water: mineral water
tea: green tea, iced tea
coffee: espresso, cappuccino, latte
instrument, musical instrument: guitar, piano, violin, flute, drum, trumpet, saxophone, banjo, cello, harp, accordion, harmonica, keyboard, clarinet, trombone, tuba, ukulele, viola, oboe, bass, horn, organ, mandolin
guitar: electric guitar, acoustic guitar, bass guitar, bass
flute: pan flute, piccolo, recorder
drum: snare drum, bongo, timpani, percussion
violin: fiddle
horn: french horn, trumpet, bugle, cornet
room: bathroom, bedroom, kitchen, living room, dining room, classroom, office, hallway, basement, attic, garage, laboratory, library, lobby, closet, cell, gym, studio, hall
bathroom: toilet, restroom, washroom, shower, powder room
basement: cellar
living room: lounge, parlor, family room, den, living area, drawing room
hall: hallway, corridor, foyer, lobby, auditorium
cell: prison cell
dressing room: changing room, fitting room, locker room
conference room: meeting room, boardroom
office: study
building: house, church, school, hospital, store, shop, restaurant, hotel, museum, library, office, tower, barn, skyscraper
vehicle: car, truck, bus, van, motorcycle, bike, bicycle, train, boat, plane, taxi, jeep, tractor, scooter
boat: ship, canoe, kayak, sailboat, raft, rowboat, ferry, yacht, speedboat, vessel
car: jeep, taxi, cab, limousine, van
bike: motorcycle, bicycle, motorbike, mountain bike
weapon: gun, knife, sword, rifle, pistol, bow
gun: pistol, rifle, shotgun
container: box, bottle, jar, bucket, bowl, pot, can, cup, basket, bag
clothes, clothing: shirt, pants, dress, jacket, coat, hat, skirt, shorts, suit, uniform, jeans, sweater, hoodie
hat: cap, helmet
jacket: coat, blazer
furniture: chair, table, couch, sofa, bed, desk, bench
seat: chair, bench, couch, stool, sofa
toy: doll, ball, frisbee, teddy bear
ball: soccer ball, basketball, football, tennis ball, baseball, volleyball
sport: soccer, football, basketball, tennis, baseball, hockey, volleyball, rugby, golf
football: soccer, rugby
hockey: ice hockey, field hockey
game: chess, poker, cards, scrabble, soccer, football, basketball, baseball
tree: oak, pine, palm, maple, birch
wood: oak, pine, bamboo
flower: rose, tulip, daisy, lily, sunflower, daffodil
plant: tree, flower, bush, shrub, grass
metal: iron, steel, aluminum, copper, brass, bronze, gold, silver, tin, lead, zinc, nickel, titanium, platinum, chrome, stainless steel
steel: stainless steel
fabric: cotton, wool, silk, linen, velvet, denim, satin, felt, lace, canvas, nylon, polyester
stone: marble, granite, limestone, sandstone, slate, rock, gravel, cobblestone, brick
concrete: cement
brick: adobe
ceramic: porcelain, tile, clay
plastic: vinyl, nylon, styrofoam
leather: suede
paper: cardboard
red: crimson, scarlet, maroon, burgundy, dark red
blue: navy, indigo, turquoise, teal, cyan, aqua, navy blue, light blue, dark blue, sky blue
green: olive, lime, teal, turquoise, light green, dark green, mint
purple: violet, lavender, lilac, magenta, mauve
pink: magenta, fuchsia, hot pink, salmon, coral
brown: tan, beige, khaki, auburn, brunette
orange: peach, amber, coral, rust
yellow: gold, golden, mustard, blond
gold: golden
tan: beige, khaki
cream: ivory, beige
maroon: burgundy
turquoise: teal, aqua, cyan
teal: cyan, aqua
crimson: scarlet
violet: lavender, lilac, indigo
golden: blond
white: cream, ivory
gray: silver, charcoal
british: english, scottish, welsh
united kingdom: england, scotland, wales
asian: chinese, japanese, korean, indian, thai, vietnamese, indonesian, malaysian, filipino, taiwanese, mongolian, north korean, south korean
korean: north korean, south korean
korea: north korea, south korea
european: french, german, italian, spanish, english, british, dutch, swedish, polish, greek, portuguese, irish, danish, norwegian, finnish, austrian, swiss, belgian, czech, hungarian
african: kenyan, nigerian, egyptian, ethiopian, ghanaian, south african, moroccan, somali, ugandan
arab: saudi, egyptian, syrian, iraqi, jordanian, lebanese, qatari, moroccan, palestinian, omani, kuwaiti, yemeni
latin american: mexican, brazilian, colombian, peruvian, chilean, cuban, argentinian
hispanic: mexican, spanish, cuban, colombian, puerto rican
scandinavian: swedish, norwegian, danish
chinese: mandarin, cantonese, hong kong, tibetan
indian: hindi, bengali
israeli: hebrew
asia: china, japan, india, korea, thailand, vietnam
europe: france, germany, italy, spain, england, ireland, greece, portugal, sweden, norway, poland
africa: kenya, nigeria, egypt, ethiopia, ghana, south africa, morocco
china: hong kong, tibet
day: morning, noon, afternoon, today
night: midnight, evening
evening: midnight
weekend: saturday, sunday
move: walk, run, drive, crawl
walk: stroll, hike, march, wander
run: jog, sprint, race
cut: slice, chop, dice, mince, carve, trim
cook: bake, fry, boil, roast, grill
talk: chat, speak, discuss, converse
look: stare, gaze, watch, glance
lie: sleep
climb: hike
ride: cycle
several: two, three, four, five, six
some: two, three, four, five, several
many: hundreds, thousands, dozens, ten, twenty
few: two, three
couple: two
pair: two
software: app, tool, library
chromeos: linux
linux: ubuntu, debian, fedora, arch, alpine, centos, rhel, nixos, gentoo, mint, opensuse, manjaro, rocky, android
sql: postgres, mysql, sqlite
redis: valkey
aws: lambda, sqs, ecs, dynamodb, redshift, ses, elastic beanstalk, cloudwatch
gcp: bigquery, cloud run, app engine, firestore
grafana: loki, grafana loki
vim: neovim
visual studio: visual studio code
python: cython
react: react native, next.js
eslint: prettier
machine: server, laptop
yesterday: last week
cleanliness: order
beta: release candidate
small: tiny
large: huge
cold: cool
hot: warm
college: university
university: college
theater: auditorium
shop: supermarket, bakery, market
restaurant: cafe, bar, pub
woods: forest, jungle
lake: pond
ocean: sea
crow: raven
donkey: mule
mother: grandmother
cooking: baking, frying
pan: skillet, frying pan, wok, saucepan
pot: kettle, saucepan, pan
put, place: pack, pour, sprinkle, add, apply, drop, spread, lay, set, insert, stuff, load, put on
add: pour, sprinkle, mix, drop, insert, append
cut: saw, shred, grate, peel, mow, snip, clip, chop up, slice up, dice up, tear
chop: dice, mince, slice
break: crack, smash, shatter, snap, split
hit: strike, knock, bang, beat, punch, kick, slap, hammer, tap, bump
bang, pound: hammer, knock
move: slide, jump, climb, ride, fly, swim, travel, roll, trot, skate, race, dance, crawl
run: trot, gallop, dash, rush, chase
walk: wade, pace, trek, trot, step
jump: leap, hop, bounce, dive, flip
trick: flip, jump, stunt, wheelie, handstand, acrobatics, maneuver
perform: play, dance, sing, show
play: strum, practice, frolic, perform
exercise: run, jog, stretch, train, work out
fight: box, wrestle, kickbox, spar, battle, duel, attack
eat: chew, bite, gnaw, feed, graze, dine, lick, devour, munch, have
bite: chew, gnaw
drink: sip, gulp, lick
look, look at: peer, view, see, observe, face, examine
hold: carry, grab, grip, grasp, lift, hug, handle
carry: bring, lift, transport
lift: raise, pick up, hoist
throw: toss, pitch, launch, hurl
clean: wash, wipe, scrub, brush, rinse, erase, sweep, mop
prepare: cook, make, season, mix
make: cook, prepare, create, draw
cook: prepare, deep fry, season, stir, barbecue, fry
fry: deep fry
mix: stir, blend, whisk, beat
stir: whisk, beat
draw: sketch, paint
write: type, note
rest: sleep, nap, lie, relax, sit, lounge
lie: lay, nap, lie down, rest
sit: perch, lounge, sit down, be seated
stand: pose, lean, wait, stand up
climb: ascend
chase: follow, pursue
catch: grab
ride: drive, pedal, peddle
surf: ride
apply: put on, spread, smear
tear: rip
swim: float, dive
sing: perform
speak: lecture, present
smile: laugh, grin
cry: scream
love: hug, kiss
piano: keyboard, grand piano
beach: shore, coast, sand, seashore
ocean, sea: wave, surf
water: ocean, sea, lake, river, pool, pond, stream, creek, puddle, marsh, swamp, waterfall, wave, surf
lake, river: stream, creek, pond
pool: swimming pool, puddle
hill: mountain, slope, incline, dune, mound, hillside
mountain: cliff, rock, mountainside
rock: boulder, cliff, stone
cliff: ledge
wall: fence, barrier
barrier, obstacle: fence, hurdle, wall, bar
road, street: path, track, highway, lane, trail, route, sidewalk, pavement, roadway
path, trail: track, sidewalk
ground: grass, dirt, sand, field, snow, lawn, mud, earth
grass: lawn, grassy area, meadow, yard, hay
field: grass, pasture, meadow, lawn, grassy area
park: playground
garden: yard, lawn, backyard
dirt: mud, soil, sand
forest, woods: tree
tree: log, trunk, stump
wood: log, stick, plank
stick: twig, pole, branch
vehicle: sedan, cart, motorbike, wagon, lorry, automobile, snowmobile, skateboard, atv
motorcycle: dirt bike, motocross bike, moped, motorbike
bike: bmx, unicycle, tricycle, scooter
rider: biker, cyclist, motorcyclist, jockey, cowboy, bicyclist, surfer
biker, cyclist: motorcyclist, rider
player, athlete: footballer, swimmer, skier, gymnast, surfer, skater, boxer, wrestler, runner
person, human, somebody, someone: snowboarder, skateboarder, hiker, climber, motorcyclist, cowboy, clown, patient, officer, policeman, cop, driver, bride, groom, mother, father, fisherman, wrestler, boxer, gymnast, opponent, racer, fellow, cheerleader, pedestrian, passenger, photographer, bicyclist, rollerblader, footballer, jockey, drummer, painter, teacher, speaker, user, developer, engineer, member, customer, colleague
people: audience, spectators, onlookers, students, soldiers, musicians, person, man, woman, child, boy, girl, somebody
man: fisherman, fireman, policeman, groom, cowboy, father, skateboarder, snowboarder, surfer, skier, runner, worker, drummer, racer, person
woman: bride, mother, cheerleader, policewoman, cowgirl, person, dancer
boy: kid, child, toddler, teenager
girl: kid, child, toddler, teenager
crowd: audience, people, group, spectators
group: band, herd, crowd, bunch
band: musicians
animal: rhino, kangaroo, crocodile, alligator, snake, frog, parrot, camel, cheetah, bull, pony, mouse, hedgehog, badger, octopus, chimpanzee, llama, ferret, guinea pig, cub, cattle, bunny, goat, pig, panda bear, reindeer, duck, chicken
dog: sheepdog, golden retriever, bull terrier
bear: panda
baby: infant, toddler, cub, young
clothes, clothing: t-shirt, jersey, costume, outfit, sweatshirt, top, tank top, vest, bikini, swimsuit, robe, tuxedo, scarf, jumpsuit, gear
shirt: t-shirt, top, tank top, jersey, blouse, polo
top: tank top, t-shirt
swimsuit: bikini
uniform: suit, outfit, jersey, gear, costume
costume: outfit, dress, suit, clothing
hat: beret, cowboy hat
glasses: sunglasses, goggles
shoe: boot, sneaker, slipper, sandal
bag: backpack, purse, suitcase
container: tray, plate, mug, glass, pan, kettle, barrel, bin, package
bowl: dish, plate
cup: mug, glass
dish: plate, meal
food: tofu, noodle, soup, tortilla, cereal, shrimp, hamburger, ingredient, sauce, cucumber, tomato, broccoli, mushroom, corn, banana, watermelon, steak, dish
pepper: bell pepper
gun: squirt gun, toy gun, machine gun
weapon: axe, spear, blade
blade: knife, sword
picture: photo, drawing, painting, sketch
makeup: lipstick, eyeshadow, eyeliner, eye shadow, eye liner
hand: finger, fist, arm
stage: platform, podium
building: hut, structure, stadium, skyscraper, temple
house: hut, cabin, cottage
city, town: village
board: skateboard, surfboard, snowboard
snow: ice, snowdrift
air, sky: midair
young: little, small, teenage, baby
stair: step, staircase
fireplace: mantel
chair: seat, stool
paper: newspaper, document, cardboard
phone: cell phone, cellphone
device: phone, computer, camera, laptop
computer: laptop
rope: cord, string
tool: hammer, drill, saw
contest, competition: race, match, game
match: game, fight
quickly: hastily, hurriedly
outside: outdoors, in the open
car: sedan, automobile, race car, suv
spread: smear, butter, apply
check, examine: look at, inspect, study
weight: barbell, dumbbell
player: goalkeeper, goalie, striker, pitcher, batter
shoot: fire
wash: bathe, rinse, scrub
comb: brush, style
wear: dress, put on
eat: nibble, taste, swallow
fly: soar, glide, hover
sew: stitch
type: write
tear: shred
season: salt, marinate, spice
boil: simmer, cook
noodle, pasta: spaghetti, macaroni
mixture: batter, dough
board: whiteboard, blackboard
speech: talk, presentation
hug: cuddle, embrace
push: shove
pull: drag, tow, tug
turn: spin, rotate, twist, twirl
spin: twirl, rotate
swing, hang: dangle
bend: bow, lean
crouch: squat, kneel
spray: squirt, splash
fall: tumble, trip, slip
gather: crowd, assemble, group
lead: guide
pet: stroke, pat, touch
touch: pat, tap
listen: hear
read: study
point: aim, gesture
cheer: shout, applaud, celebrate
skate: skateboard, rollerblade
compete: race, play
march: parade
practice: train
remove: peel, take off, take out
take: grab, pick up, get
get: receive, fetch
use: operate
mat, rug: carpet
floor: carpet
sign: poster
flag: banner
train: locomotive
track: rail
truck: pickup, van
suit: tuxedo
jewelry: necklace, ring, earring, bracelet, bead
necklace: bead
fire: bonfire, flame, campfire
light: lamp, torch
animal: rat, lizard, insect, beetle, bee, dolphin, whale, giraffe, zebra, gorilla, ape, raccoon, otter
monkey: ape, chimpanzee, baboon
lizard: gecko, iguana
snake: python, cobra
insect: ant, bee, fly, beetle, butterfly
road: alley, avenue, driveway
shore: coast, riverbank, bank
sport: surfing, skiing, skating, wrestling, boxing, karate, martial art, gymnastics, polo, cricket
martial art: karate, judo, kung fu, taekwondo
dance: ballet, tango, waltz
slice: dice, carve
guard: defend, protect
corner: curve, bend, turn
package: parcel, box
dog: chihuahua, pug, mastiff, spaniel, doberman, rottweiler, german shepherd, pit bull, corgi, schnauzer, whippet, mutt, mongrel, hunting dog
fruit, vegetable: produce
skier, snowboarder: athlete
musician: guitarist, drummer, pianist, violinist, singer, flutist
soldier: officer, recruit, marine
officer: policeman, cop, police officer
scooter: moped
tent: shelter
crate: box
stare: gaze, look
shout: scream, yell
whisper: speak
giggle: laugh
lick: taste
scratch: rub
rub: massage, scrub
fix, repair: mend, patch
carve: cut
grind: crush
squeeze: press, crush
press: push
dress up: wear
hurry: rush, run
travel: ride, drive, fly, sail
sail: float
hop: skip
stroke: brush
lawn: yard
creek: brook
bottle: flask
cap: helmet
parade: procession
concert: show, performance
photographer: person
`
