/** Opposites, one line each: every word left of the bar excludes every word right of it. */
export const antonyms = `
able, capable | unable, incapable
above, over, atop | below, under, beneath, underneath
absent, missing, lacking | present, there, available
abstract | concrete
accelerate, speed up, quicken | decelerate, slow down, slow, brake
accept, approve, agree to, welcome | reject, refuse, decline, deny, turn down
accidental, unintentional | deliberate, intentional, on purpose
accidentally, unintentionally, by accident | deliberately, intentionally, on purpose
accurate, correct, right, exact, precise | inaccurate, incorrect, wrong, mistaken, imprecise, false
acquire, obtain, gain, get | lose, forfeit
active, busy, running | inactive, idle, passive, stopped, dormant
actual, real, genuine, authentic, original | fake, imaginary, fictional, counterfeit, artificial, virtual
add, append, insert, attach, include | remove, delete, subtract, detach, exclude, drop, omit, strip
advance, move forward, progress | retreat, withdraw, regress, move back
advantage, benefit, upside | disadvantage, drawback, downside
adult, grown up, grownup | child, kid, baby, infant, toddler, minor
affirmative | negative
agree | disagree
alive, living | dead, deceased
all, every, each, everything | none, no
allow, permit, let, authorize, authorise, enable, encourage | forbid, prohibit, ban, disallow, prevent, block, deny, discourage
allowed, permitted, legal, authorized, authorised, fine, ok, okay, acceptable, welcome | forbidden, prohibited, banned, disallowed, illegal, denied, unauthorized, unacceptable, taboo
alone, by himself, by herself, on his own, on her own | together, accompanied, with others, with friends
always, constantly, invariably, every time | never, rarely, seldom, sometimes
ancient, old, antique, vintage | modern, new, contemporary
angry, furious, mad, annoyed | calm, happy, pleased, friendly, peaceful
anonymous | named, identified
any, some | none
appear, show up, emerge | disappear, vanish
apart, separately, separate | together, jointly, joined
arrive, come, enter | depart, leave, exit, go away
arrival | departure
ascend, climb, go up, rise, go upstairs | descend, go down, fall, sink, drop
ascending, increasing, upward | descending, decreasing, downward
ask, question | answer, reply, respond
asleep, sleeping | awake, conscious, wide awake
assemble, put together, build, construct | disassemble, take apart, dismantle, demolish, destroy
attack, assault | defend, protect, retreat
attract, draw in | repel
automatic, automated | manual
automatically | manually, by hand
backward, backwards | forward, forwards, ahead
bad, terrible, awful, poor, horrible, lousy | good, great, excellent, fine, wonderful, superb, fantastic
badly, poorly | well, excellently
bald, hairless | hairy, long haired, dark haired, blond haired, curly haired, with hair
barefoot, shoeless | shod, in shoes
beautiful, pretty, gorgeous, attractive, handsome, cute | ugly, hideous, unattractive
before, prior to, earlier than | after, following, later than
begin, start, commence, launch | end, finish, stop, conclude, terminate, cease
beginning, start, opening | end, ending, conclusion, finish
behind, in back of | in front of, ahead of, before
believe, trust | doubt, distrust, disbelieve
best | worst
better | worse
big, large, huge, giant, enormous, gigantic, massive, vast, great, sizable | small, little, tiny, minuscule, miniature, petite, compact
bigger, larger, greater | smaller, lesser
biggest, largest, greatest | smallest, tiniest
birth | death
bitter, sour | sweet
blame, criticize, criticise | praise, commend, compliment
blocking, synchronous, sync | non blocking, nonblocking, asynchronous, async
blunt, dull | sharp, pointed, pointy
bold, brave, courageous, fearless | timid, cowardly, afraid, scared, fearful, shy
bored | excited, interested, entertained, fascinated
boring, dull, tedious | exciting, interesting, entertaining, fascinating, thrilling
borrow | lend, loan
bottom, base, lowest | top, highest, summit, peak
break, shatter, smash | fix, repair, mend
broken, out of order, defective, faulty | working, intact, functional, fixed, whole, repaired
bright, sunny, luminous, brilliant | dark, dim, gloomy, dull
brighten, lighten | darken, dim
build, construct, erect | demolish, destroy, tear down, raze
busy, crowded, packed | quiet, deserted, empty, idle, free
buy, purchase | sell
buyer, customer, purchaser | seller, vendor
calm, relaxed, still, peaceful | agitated, nervous, anxious, stormy, rough, turbulent, stressed, excited
can, could | cannot
careful, cautious, prudent | careless, reckless, rash
carefully, cautiously | carelessly, recklessly
catch, grab | throw, release, miss, toss, drop
center, centre, middle | edge, border, periphery, side
certain, sure | uncertain, unsure, doubtful
change, modify, alter | keep, preserve, maintain, retain
cheap, inexpensive, affordable | expensive, costly, pricey
cheerful, merry | gloomy, sad, miserable, grumpy
child, kid | grown up
clean, spotless, tidy | dirty, filthy, messy, muddy, soiled, grubby
clear, sunny, cloudless | cloudy, overcast, foggy, murky, unclear, hazy
clear, obvious, plain | vague, obscure, ambiguous, unclear, confusing
clever, smart, intelligent, bright | stupid, dumb, foolish, dull
climb up, walk up, go up | climb down, walk down, go down
close, near, nearby, close by, close to, next to, beside, by, adjacent to, alongside | far, distant, far away, far from, far away from, away from, remote, a long way from
close, shut | open
closed, shut, locked, sealed | open, opened, unlocked, ajar
clothed, dressed, fully dressed | naked, nude, undressed, unclothed, bare
coarse, rough | fine, smooth
cold, chilly, freezing, icy, cool, frozen, frigid | hot, warm, boiling, heated, scorching, burning
collect, gather | scatter, distribute, disperse, spread
colorful, colourful, colored, coloured | colorless, colourless, black and white, monochrome, drab, plain
combine, merge, join, unite | separate, split, divide, fork
come in, enter, go in | go out, come out, leave, exit
comfortable | uncomfortable
common, frequent, usual, typical, ordinary, normal, regular | rare, unusual, uncommon, infrequent, strange, odd, weird, extraordinary, special, abnormal, irregular, atypical
complete, full, finished, done, whole, entire | incomplete, partial, unfinished, half
complicated, complex, intricate | simple, easy, straightforward
compress, zip | decompress, unzip, expand
conceal, hide | reveal, show, expose, display
confident, self assured | insecure, shy, unsure
connect, link, plug in | disconnect, unlink, unplug
connected, online | disconnected, offline, unconnected
consistent | inconsistent
constant, fixed, static, immutable, permanent | variable, changing, dynamic, mutable, temporary
construct, construction | destruction, demolition
continue, go on, proceed, keep, resume | stop, quit, pause, halt, discontinue, cease
contract, shrink | expand, grow, stretch
cooked, boiled, fried, baked, roasted | raw, uncooked
correctly, properly, rightly | incorrectly, wrongly, improperly
cover | uncover
covered, roofed | uncovered, bare, exposed
cowardice | courage, bravery
create, make, produce, generate | destroy, delete, eliminate, annihilate
crowded, packed, full | deserted, empty, uncrowded
cruel, mean, unkind | kind, gentle, nice, merciful
cry, weep, sob | laugh, smile, giggle
crying, weeping, sobbing | laughing, smiling, giggling
curly, wavy | straight
damaged | undamaged, intact
damp, wet, moist, soaked, soaking, drenched | dry, arid, dried
danger, risk | safety, security
dangerous, unsafe, hazardous, risky | safe, harmless, secure
dark, darkness | light, brightness
dark haired, brunette, brown haired | blond haired, blonde, fair haired, light haired, blond
dawn, sunrise, daybreak | dusk, sunset, nightfall
day, daytime, daylight | night, nighttime
daily, every day, each day | weekly, monthly, yearly, annually, hourly, quarterly, nightly, every week, every month, every year, every hour
weekly, every week | monthly, yearly, annually, hourly, quarterly, every month, every year
monthly, every month | yearly, annually, hourly, quarterly, every year
deep, profound | shallow, superficial
defeat, loss, lose | victory, win, triumph
decrease, reduce, lower, diminish, lessen, shrink, drop | increase, raise, grow, enlarge, rise, boost, expand
deny | confirm, admit, affirm
departing | arriving
deprecated, obsolete, outdated, out of date, stale, legacy | current, supported, up to date, fresh, recommended, modern
depart, take off | land, arrive, touch down
descendant | ancestor
despair | hope
dense, thick | sparse, thin
different, distinct, other, another, unlike, various | same, identical, alike, equal, equivalent
difficult, hard, tough, challenging, tricky | easy, simple, effortless, trivial
disable, deactivate, switch off, turn off, shut off, disallow | enable, activate, switch on, turn on
disabled, off, deactivated, inactive, switched off, turned off | enabled, on, activated, active, switched on, turned on
discourage | encourage
discover, find | lose, miss, overlook
dislike, hate, detest, loathe, despise | like, love, enjoy, adore, prefer, want, favor, favour
divide, division | multiply, multiplication
divorced, single, unmarried | married, wed
downhill | uphill
down, downward, downwards | up, upward, upwards
downstairs | upstairs
download | upload
downstream | upstream
downgrade | upgrade
draft, wip, work in progress | final, published, finished, ready
dress, put on, don | undress, take off, doff
drop, put down, set down, lay down | pick up, lift, raise, hoist
drunk, intoxicated | sober
dull, matte | shiny, glossy
early, soon | late
earlier, sooner | later
earliest, oldest | latest, newest, most recent
east, eastern | west, western
elderly, old, aged, senior, middle aged | young, youthful, juvenile, teenage, adolescent
embark | disembark
employ, hire | fire, dismiss, lay off
employed | unemployed, jobless
empty, vacant, blank, hollow, void | full, filled, occupied, loaded, stuffed
empty | fill
enemy, foe, rival, opponent | friend, ally, companion
enter, go into, come into, walk into, step into, get into | leave, exit, go out of, come out of, walk out of, get out of, step out of
entrance, entry | exit
even | odd
everybody, everyone, all people | nobody, no one, none
everything | nothing
everywhere | nowhere
evil, wicked | good, kind
exclude, excluding, except | include, including
excluded | included
exclusive | inclusive
exhale, breathe out | inhale, breathe in
expand, grow, extend | shrink, contract, collapse, shorten
experimental, unstable, beta, alpha | stable, production ready
explicit | implicit
explicitly | implicitly
export | import
exporting | importing
external, outer, exterior | internal, inner, interior
extrovert | introvert
fail, failing, crash, break | succeed, pass, work, passing, succeeding
failed, unsuccessful, red, broken | successful, passed, succeeded, green
failure | success
fail, flunk | pass
fair, just | unfair, unjust
faithful, loyal | unfaithful, disloyal
fall, stumble | rise, stand up, get up
false, untrue | true
familiar, known | unfamiliar, unknown, strange
famous, well known, popular | unknown, obscure, infamous, unpopular
fast, quick, rapid, speedy, swift, brisk | slow, sluggish, leisurely
faster, quicker | slower
fastest | slowest
quickly, rapidly, fast, swiftly, hastily, speedily | slowly, gradually, leisurely
fat, overweight, obese, chubby, plump, heavy | thin, slim, skinny, lean, slender, underweight
feed | starve
few, a few, several, few of | many, a lot of, lots of, numerous, all, countless, plenty of
fewer, less | more
fewest, least | most
fill, fill up | drain, empty, pour out
finite, limited, bounded | infinite, unlimited, endless, unbounded, boundless
firm, solid, rigid, stiff, hard | soft, loose, flexible, limp, squishy
first, initial | last, final
float | sink
fold, wrap | unfold, unwrap
folded, wrapped | unfolded, unwrapped
follow | lead, precede
following | preceding, leading
forget | remember, recall, memorize
forgive | punish, blame
formal | informal, casual
formally | casually, informally
forward | back
free, at liberty | imprisoned, captive, jailed, trapped, enslaved
free, gratis, free of charge | paid, charged, commercial
freedom, liberty | slavery, captivity
freeze, solidify | melt, thaw
frequently, often, regularly | rarely, seldom, infrequently, hardly ever, occasionally
fresh | stale, rotten, spoiled, canned, frozen
friendly, amiable | unfriendly, hostile
from | to
front, front of | back, rear, back of
frown, scowl | smile, grin
frowning, scowling | smiling, grinning
full time | part time
generous | stingy, greedy, selfish
gentle, tender | rough, harsh, violent
gently, softly | roughly, harshly, violently, hard
get on, board, get into, mount, climb on | get off, get out of, dismount, alight, climb off
give, hand over, donate, offer | take, receive, accept, grab
global | local
go, leave | come, arrive, stay, remain
go to bed, go to sleep, fall asleep | get up, wake up, awaken
good | evil
greet, say hello | say goodbye
ground, floor | ceiling, roof, sky
guilty | innocent
happy, glad, joyful, cheerful, joyous, delighted, pleased, content | sad, unhappy, sorrowful, miserable, upset, depressed, gloomy, angry
happily, cheerfully, joyfully | sadly, unhappily, miserably, angrily
happiness, joy | sadness, sorrow, grief, misery
harmful, damaging | harmless, beneficial, helpful
hate, hatred | love
head, front | tail
health | illness, sickness, disease
healthy, well, fit | sick, ill, unhealthy, unwell, diseased, unfit
heaven, paradise | hell
heavy, weighty | light, lightweight
help, assist, aid | hinder, obstruct, hurt, impede
helpful, useful | unhelpful, useless
hello, hi | goodbye, bye
here | there, elsewhere
hero | coward, villain
high, tall, elevated, lofty | low, short, deep
higher, upper, taller | lower, shorter
highest, tallest, maximum, maximal, max | lowest, shortest, minimum, minimal, min
hit, strike | miss
hold, grip, keep, grasp | release, let go, drop, let go of
holding, gripping, carrying | dropping, releasing, letting go of, throwing
honest, truthful, sincere | dishonest, lying, deceitful, insincere
horizontal | vertical
horizontally | vertically
host, hostess | guest, visitor
huge, gigantic | tiny, minute
human | animal, robot, machine
humid | dry
hungry, starving, famished | full, satiated, fed
identical | different, distinct
ignore, disregard, neglect | notice, pay attention to, consider, respect, heed
import, imported | exported
important, significant, major, crucial, essential, critical | unimportant, insignificant, minor, trivial, negligible
impossible | possible
improve, enhance, get better | worsen, deteriorate, get worse, degrade
in, into, inside, within | out, out of, outside, outside of
increment | decrement
indoor, inside, interior | outdoor, outside, exterior, open air
indoors, inside, in the house | outdoors, outside, outside of the house, in the open
inflate, blow up | deflate
innocent | guilty
innocence | guilt
input | output
install, set up | uninstall, remove
interested | uninterested, bored, indifferent
inward, inwards | outward, outwards
jump up, leap up | fall down, sit down
junior | senior
kill, murder | save, rescue, revive
knock down, pull down, push down | lift up, pull up, raise
land, shore | sea, water, ocean
lazy | hardworking, diligent, industrious, eager
leader | follower
lead | trail, follow
leave, abandon | stay, remain, return, arrive
left, left hand, leftmost | right, right hand, rightmost
legal, lawful | illegal, unlawful
length | width
less than, under, below, fewer than, no more than, at most, up to, maximum of | more than, over, above, exceeding, at least, no less than, minimum of
lie | tell the truth
light | dark
light mode, light theme | dark mode, dark theme
like | unlike
likely, probable | unlikely, improbable
likely, probably | unlikely
lift, raise, pick up | lower, drop, put down
literal | figurative
lock, fasten, bolt | unlock, unfasten, open
locked | unlocked
long, lengthy, extended, verbose, detailed | short, brief, concise, terse, succinct
longer | shorter
longest | shortest
loose, baggy, slack | tight, close fitting, snug
loosen | tighten
lose | win, find, gain
loser, losing | winner, winning
loud, noisy | quiet, silent, soft, hushed
loudly, noisily, aloud | quietly, silently, softly
lower case, lowercase | upper case, uppercase, capital
lucky, fortunate | unlucky, unfortunate
male, masculine | female, feminine
man, gentleman, guy, bloke, dude, fellow | woman, lady, girl, gal
men, gentlemen, guys | women, ladies, girls
boy, lad, son, man | girl, lass, woman, daughter, lady
boys, lads | girls, lasses
husband, groom, bridegroom | wife, bride
father, dad, daddy, papa | mother, mom, mum, mommy, mama
son | daughter
brother | sister
grandfather, grandpa, granddad | grandmother, grandma, granny
uncle | aunt
nephew | niece
king | queen
prince | princess
actor | actress
waiter | waitress
boyfriend | girlfriend
he | she
him | her
himself | herself
mandatory, required, compulsory, obligatory, necessary, needed | optional, voluntary, unnecessary, unneeded
many, much | little, few, hardly any
mature, ripe | immature, unripe, green
maximize, maximise | minimize, minimise
maximum | minimum
melted, thawed | frozen
merge | rebase
messy, untidy, disorganized, cluttered | tidy, neat, organized, orderly
mild | severe, harsh, strong
mistake, error | correction
moist | dry
monolith, monolithic | microservices, distributed, modular
more | less, fewer
moreover | however
morning, a.m. | evening, afternoon, night, p.m.
afternoon, midday, noon | evening, night, midnight
evening | midnight, noon
most, majority of | least, minority of, few
motionless, still, stationary, immobile, parked | moving, mobile, in motion, driving
move | stay still, stand still
mute, silence | unmute
mutable | immutable, constant, readonly
naive | experienced, sophisticated
narrow | wide, broad
native | foreign, alien
natural | artificial, synthetic, unnatural
near | far
needed, necessary | unneeded, superfluous
negative, minus | positive, plus
nervous, tense, anxious | relaxed, calm, confident
new, brand new, recent | old, used, second hand, worn
newer | older
newest, latest | oldest
nice, pleasant | nasty, unpleasant, horrible, mean
nobody, no one | somebody, someone, anybody, anyone, everybody, everyone
noise | silence, quiet
noisily | quietly
north, northern | south, southern
nothing | something, anything, everything
notice | overlook, miss
nowhere | somewhere, everywhere
numerous | few
obedient | disobedient, naughty
obey | disobey, rebel
occupied, taken | vacant, unoccupied, free
odd numbered | even numbered
offense, attack | defense
often | seldom, never
on | off
on time, punctual | late, delayed, overdue
online, up, reachable | offline, down, unreachable
only | also
open, unlock | lock
open, open source | closed source, proprietary
open, uncovered | shut, covered
opt in | opt out
optimist | pessimist
optimistic | pessimistic
order | disorder, chaos
ordered, sorted | unordered, unsorted
outer | inner
outermost | innermost
outgoing | incoming, shy
own | rent, lease
pack, load | unpack, unload
painful | painless
pale | dark, tanned, rosy
parallel, concurrent | sequential, serial
part, piece, portion | whole, entirety
partially, partly, in part | fully, completely, wholly, entirely, totally
partner | opponent, competitor
past | future
patient | impatient
patiently | impatiently
pause | resume, play
peace | war, conflict
peaceful | violent, warlike
permanent, lasting | temporary, provisional, transient, ephemeral
persistent, durable | volatile, ephemeral, in memory
pick, choose, select | reject, deselect
plaintext, unencrypted | encrypted
play | work
please | annoy, displease
pleasure | pain
plenty | lack, scarcity
have | lack
plug | unplug
plural | singular
plus | minus
polite, courteous | rude, impolite
poor, penniless | rich, wealthy, affluent
poverty | wealth
possible, feasible | impossible, infeasible
powerful, strong, mighty, sturdy | weak, powerless, feeble, frail, fragile
praise | insult
precede | succeed
predictable | unpredictable, random
prefix | suffix
present | past, absent
prevent | cause
pride | shame
private, secret, confidential | public, open
probably | improbably
problem, question | solution, answer
professional, expert | amateur, beginner, novice
profit | loss
protected, guarded | unprotected, vulnerable
proud | ashamed, humble
public | hidden
pull, tug, drag | push, shove
pulling, dragging | pushing, shoving
pure | impure, contaminated, mixed
put, place, put in, put into, load | take out, remove, extract, take out of, empty
put on, wear, don | take off, remove
quality | quantity
quick | slow
quiet | loud
question | statement
raise | lower
rainy | sunny, dry
random | ordered, systematic
rarely | often, frequently, always
read | write
read only, readonly | writable, writeable, read write
reader | writer
ready, prepared | unprepared, unready
rear | front
receive, get | send, give
recently | long ago
receiver, recipient | sender
receiving | sending
reckless | careful
recursive | iterative
reliable, dependable | unreliable, flaky
relative | absolute
relaxing, resting, lounging | working, exercising, exerting
relevant | irrelevant
relieved | worried
remember | forget
remote, hosted | local, on site, onsite, on premise
repair | damage, break
responsible | irresponsible
rest | work, exercise
restrict | relax
retire | keep working
reversible | irreversible
rich | poor
right, correct | wrong
right side up | upside down
rise | set
rough, bumpy, uneven | smooth, even, flat
round, circular | square, rectangular, angular
rural, country | urban, city
sane | insane, crazy
satisfied | dissatisfied, disappointed
save, keep | waste, spend, discard
scream, yell, shout | whisper, murmur
screaming, yelling, shouting | whispering, murmuring
secure | insecure, vulnerable
secured | unsecured
seated, sitting | standing, running, walking, jumping
sell | buy
sense | nonsense
separately | together
shade, shadow | sun, sunlight, sunshine
shaved, clean shaven | bearded, unshaven
shirtless, bare chested | shirted, clothed
short haired | long haired
show, display, expose | hide, conceal
shrink | enlarge
silent | talkative
silence | sound
similar, alike | dissimilar, different
simple, basic | complicated, complex, advanced
sincere | insincere
single, unique, one | multiple, several, many, double
singlethreaded, single threaded | multithreaded, multi threaded
sit, sit down, be seated | stand, stand up, get up
skilled, experienced, expert | unskilled, inexperienced, amateur
sky | ground, earth
sleepy, tired, exhausted, weary | alert, energetic, rested, awake, refreshed
sleep | wake
sloppy | neat
slowest | quickest
small scale | large scale
snowy | sunny
sober | drunk
sold | bought
solid | liquid, gas
solo | in a group, together
someone, somebody | nobody, no one
something | nothing
sooner | later
spend | earn, save
stable, steady | unstable, shaky, wobbly
stand, standing | sit, sitting, lie, lying, kneel
stateful | stateless
static | dynamic
statically | dynamically
stay | go
steep | flat, gentle
stop, halt | go, start, continue
straight | bent, crooked, curved
strength | weakness
strengthen | weaken
strict | lenient, loose, lax
strong | weak
stranger | friend, acquaintance
student, pupil | teacher, professor, instructor
succeed | fail
sun | moon
sunrise | sunset
summer | winter
superior | inferior
support, back | oppose
supported | unsupported
surface, surfacing | dive, diving, submerge
sweet | salty, bitter, sour
synchronously | asynchronously
tall | short
tame, domesticated | wild, feral
tangible | intangible
teach | learn
temporary | permanent
temporarily | permanently
tense | relaxed
thaw | freeze
thick | thin
thirsty | quenched
throw, toss | catch
tie | untie
tight | loose
timid | bold
tiny | huge
toward, towards | away from
top | bottom
transparent, see through, clear | opaque
true | false
truth | lie, falsehood
typed, statically typed | untyped, dynamically typed
unanimous | divided
under | over
understand | misunderstand
understood | misunderstood
union | intersection
unique | common, duplicate
upper | lower
upside | downside
use, keep using | avoid, stop using
useful | useless
used | unused
usually, normally, typically | unusually, rarely
valid | invalid
valuable | worthless
vegetarian, vegan | meat eater, carnivore, with meat
verified | unverified
verbose | quiet, silent, terse
versioned | unversioned
vertical | horizontal
victim | attacker
victory | defeat
visible | invisible, hidden
voluntary | forced
vulnerable | safe
wake, awaken, wake up | sleep, fall asleep
walking up | walking down
waste | conserve
weak | strong
weakness | strength
wealthy | poor
weekday, workday | weekend, holiday
welcome | unwelcome
wet | dry
white collar | blue collar
whitelist, allowlist, allow list | blacklist, denylist, deny list, blocklist
wide | narrow
widen | narrow
wild | tame
willing | unwilling, reluctant
willingly | reluctantly, unwillingly
win | lose
wise | foolish, unwise
with, using, featuring | without, lacking, minus
within | beyond
worried, anxious | carefree, unconcerned
worst | best
worthy | unworthy
wrong | right
yes, y | no, n
yesterday | tomorrow
young | old
younger | older, elder
youngest | oldest, eldest
youth, teenager, youngster | elder, senior
zoom in | zoom out
ebb | flow
absence | presence
accurately | inaccurately
adjacent | distant
advanced | elementary, beginner
amuse | bore
amused, entertained | bored, unamused
approach | move away from, walk away from
approaching | moving away from, walking away from
arrogant | humble, modest
ashore | aboard, at sea
attentive | inattentive, distracted
attentively | inattentively
awake | sleeping
await | skip
bend, crouch, kneel, squat | straighten, stand
captured, caught | released, free, escaped
chase | flee from
civilian | soldier, military
cleanse | pollute
closing | opening
competitor | teammate, partner
concentrated, focused | distracted, diluted
connecting | disconnecting
cook | eat
crawl | walk, run
dirt | cleanliness
dressing | undressing
drown | swim
dusty | clean
eager | reluctant
elegant | clumsy, inelegant
embrace, hug | push away, hit
fearless | fearful
fiction | nonfiction, fact
fixing | breaking
flat | bumpy, hilly, mountainous, steep, curved, round
flowing | still
foreground | background
genuine | phony
graceful | awkward, clumsy
hilly, mountainous | flat
ignite, light | extinguish, put out
illuminated, lit, lighted | dark, unlit
individual | group, team, collective
intentionally | by mistake
introduce | withdraw
kneel, kneeling | standing
landing | taking off, launching
laughter | tears
lie down, lay down | stand up, get up, sit up
liquid | frozen
load | unload
lying | upright
majority | minority
major | minor
marry | divorce
mess | order
mount | dismount
nap | stay awake
open ended | closed ended
opposite, facing | beside
ordinary | special
over | underneath
overhead | underfoot
parked | driving, moving
parting | meeting
peel | unpeel
plain, unpatterned | patterned, striped, decorated, ornate, fancy
pour | scoop out
powered | unpowered
powered on | powered off
prepare | improvise
prior, previous, former | next, subsequent, latter
proceed | stop
pull up | pull over
quietly | loudly
recede | advance
refuse | accept
reveal | cover
sadness | joy
sail | row
seldom | usually
serious, solemn | funny, playful, joking, silly
shining | dim
shorten | lengthen, extend
sick | healthy
skinny | fat
slide up | slide down
smooth | wrinkled
spicy | mild, bland
spread | fold
spring | autumn, fall
standing up | sitting down
start up | shut down
startup | shutdown
still | moving
strange | normal, familiar, ordinary
surfaced, paved | unpaved, dirt
swimming | drowning
talking, speaking | silent, listening, quiet
talk, speak | listen
tangled | untangled
tell | ask
tie up | untie, release
tighten | loosen
towards, into | out of
unhurt, uninjured | hurt, injured, wounded
unload | load
unveil | veil
upright | upside down, prone, flat
vacation, holiday | work
wash | dirty, soil
wearing | removing, taking off
wet | dried
whole | broken, half
with clothes | naked
working | playing, resting, on vacation, unemployed
write | erase
deploy, ship, release | roll back, rollback, revert
commit | revert
lock | release
open | close
mount | unmount
encode | decode
encrypt | decrypt
serialize | deserialize
marshal | unmarshal
subscribe | unsubscribe
register | unregister, deregister
follow | unfollow
archive | unarchive
freeze | unfreeze
pin, pinned | unpin, unpinned, floating
push | pop
enqueue | dequeue
acquire | release
allocate | free, deallocate
client, client side | server, server side
parent | child
eager, eagerly | lazy, lazily
early return | late return
strong typing | weak typing
greenfield | legacy
squash, squashed | unsquashed
vertical scaling | horizontal scaling
blocking | optional
online | on paper
head | foot
entry point | exit point
incremental | full
tabs, tab | spaces, space
single quotes, single quoted, single quote | double quotes, double quoted, double quote
trailing | leading
big endian | little endian
inclusive | exclusive
paid | unpaid, free
approved, accepted | unapproved, rejected, denied, declined, pending
merged | unmerged
resolved, fixed, solved | unresolved, unfixed, unsolved, outstanding
finished, completed, done | unfinished, ongoing, in progress, pending, todo, started
tested | untested
documented | undocumented
known | unknown
planned | unplanned, spontaneous
signed | unsigned
nullable | non null, nonnull
greater than | less than
up to date | behind
production ready | prototype
hosted, managed | self hosted, self managed
inheritance | composition
deep copy | shallow copy
opening | closing
always on | on demand
clockwise | counterclockwise, anticlockwise
heads | tails
overestimate | underestimate
overestimated | underestimated
overpriced | underpriced
oversleep | wake early
outperform | underperform
onshore | offshore
inbound, ingress | outbound, egress
upvote | downvote
upstairs | downstairs
upright | lying down
uptown | downtown
uptime | downtime
ahead | behind, back
walk | ride, drive
lone, solitary, lonely | accompanied, surrounded
child | parent, adult
distant, remote | close, nearby, neighboring
idle | working, busy
give | take, keep, withhold
fasten, buckle, button | unfasten, unbuckle, unbutton
freely | reluctantly
dull | shiny, bright, colorful
bare, naked | covered, clothed, dressed
artificial, fake | natural, real
lit | unlit
ripe | unripe, green
modest | proud, arrogant
alert | drowsy, sleepy, asleep
attached, connected | detached, loose, separate
hollow | solid
rigid | flexible, bendy
moving | parked, stationary, motionless, still
stranger | relative, acquaintance
expensive | free
seated | upright
outgoing | timid
visible | concealed, covered
slim, thin | wide, thick, fat
muscular | skinny, weak
loud | faint
crowded | sparse, vacant
single | multi
remotely, from home | on site, onsite, in the office, at the office
weekly | biweekly, nightly
pro | anti
move, walk, run | sit, stand, lie, rest, stay, kneel
sit up | stand up
some, any | all, every, no
good, nice | sad, unhappy
happy, fortunate | unfortunate, unlucky
pleased, delighted, satisfied | disgusted, displeased, upset, dissatisfied, annoyed
dark | white, fair
light | black
little, small | great, grand
small, narrow | broad, wide
low | high, upper
deep | shallow
usual, normal | different, unusual, strange
plain | colorful
whole | partial
clear | dull
sharp | dull, flat, rounded
clean | stained
rough | gentle
heavy | slight
strong | mild, faint
thick | fine, thin, skinny
fresh | old, used
loose | fixed, attached
tied | loose, untied
dead | live
straight | curly, wavy
hard | easy
simple | fancy
fancy | plain, casual
casual | formal, fancy
famous | ordinary
public | personal
single | married, double
half | full, whole
main, primary | secondary, side, minor, auxiliary
upper | bottom
public | secret
older, elder | younger, newer
several, many | one, single, no
other | same
group | individual
crowd | individual
rest | move
sleeping | awake, alert, walking, running
watching, noticing | ignoring
helping | hindering, hurting
carrying | dropping, putting down
entering | leaving, exiting
winning | losing
approaching | leaving, departing
laughing | crying, frowning
smiling | crying, frowning
working | relaxing
following | leading
jumping | sitting, standing
swimming | sinking
climbing | descending
opening | shutting
pushing | pulling
buying | selling
arriving | leaving
starting | ending, stopping, finishing
throwing | catching
building | destroying
filling | emptying
young, youthful | mature, grown, ancient
new | former, past, familiar
bright, vivid | pale, faded, drab, colorless, matte, dull, dim
comfortable, cozy | painful, awkward, uncomfortable
low | loud
small, little | major, thick, tall, wide, broad
large, big | minor, narrow, thin, slight, short, small scale
sunset, dusk | morning, noon
sunrise, dawn | evening, night
morning | nightfall
same | opposite, diverse
opposite | similar, adjacent
good | ill, naughty
long | cropped, little
high | soft
light | dense, thick
heavy | delicate, gentle
open | enclosed
busy | unoccupied
soft | harsh, rough
hard | gentle, tender
clear | muddy, dirty
strong | delicate
wild | calm, gentle, cultivated
quiet, calm | active, rough, stormy, wild, loud, noisy, busy
serious | frivolous, trivial
fair | foul
beautiful, pretty | plain
sweet | dry
plain, simple | elaborate
free | bound, restricted
local | foreign, national
general | specific, special, particular
specific, particular | broad
next | last, preceding
several | few
stand | fall
sit, lie | rise, arise
seated | moving
take | leave, refuse, return
wear | undress
move | stop
keep | lose, give away
talk | whisper
hide | seek
jump | duck, land, fall
climb, ride | dismount
push | draw
cut | mend, paste
join | leave, part, quit
employee | employer
adult | juvenile
above | bottom, underside
edge | interior
tall | small
late | timely
loose | bound
barefoot | booted
modern, contemporary | traditional, classical
live | recorded, prerecorded
tired | fresh
bearded | shaven, beardless
intense | mild
upright | horizontal
windy | calm, windless
beginning | middle
high pitched | low pitched
perfect | flawed
rocky | smooth, sandy
grassy | barren
worn | fresh
casual | dressy
sleeveless, short sleeved | sleeved, long sleeved
slim | stocky
muscular | flabby
shaded, shady | sunny
steep | gradual
lazy | active
active | resting
armed | unarmed
present | future
nice, pleasant | awful, horrible, terrible
small, little | extensive
separate | joint, combined, shared
old | youthful
good | gloomy
`
