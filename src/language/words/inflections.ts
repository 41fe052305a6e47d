/** Irregular forms: the base, then the forms that lead back to it. */
const irregular = `
be: is, are, was, were, been, being, am
have: has, had, having
do: does, did, done, doing
go: goes, went, gone, going
begin: began, begun
break: broke, broken
bring: brought
build: built
buy: bought
catch: caught
choose: chose, chosen
come: came
cut: cutting
deal: dealt
draw: drew, drawn
drink: drank, drunk
drive: drove, driven
eat: ate, eaten
fall: fell, fallen
feed: fed
fight: fought
find: found
fly: flew, flown, flies
forbid: forbade
forget: forgot, forgotten
freeze: froze
get: got, gotten, getting
give: gave, given
grow: grew, grown
hang: hung
hear: heard
hide: hid
hold: held
keep: kept
know: knew, known
lead: led
lend: lent
let: letting
lie: lies, lied, lying, lay, lain
lose: lost, loses, losing
make: made
mean: meant
meet: met
pay: paid
put: putting
quit: quitting
read: reading
ride: rode, ridden
ring: rang, rung
rise: rose, risen
run: ran, running
say: said
see: saw, seen, sees
sell: sold
send: sent
set: setting
shake: shook, shaken
shine: shone
shoot: shot
show: shown, showed
shut: shutting
sing: sang, sung
sink: sank, sunk
sit: sat, sitting
sleep: slept
speak: spoke, spoken
spend: spent
stand: stood
steal: stole, stolen
stick: stuck
strike: struck
swim: swam, swum
take: took, taken
teach: taught
tear: tore, torn
tell: told
think: thought
throw: threw, thrown
understand: understood
wake: woke, woken
wear: wore, worn
win: won
write: wrote, written
rewrite: rewrote, rewritten
agree: agreed, agreeing
free: freed, freeing
see: seeing
child: children
man: men
woman: women
person: persons
foot: feet
tooth: teeth
goose: geese
mouse: mice
ox: oxen
knife: knives
wife: wives
leaf: leaves
shelf: shelves
half: halves
wolf: wolves
thief: thieves
loaf: loaves
scarf: scarves
potato: potatoes
tomato: tomatoes
hero: heroes
echo: echoes
mango: mangoes
die: dies, died, dying
tie: ties, tied, tying
use: uses, used, using
bus: buses
branch: branches
cache: caches, cached, caching
size: sizes, sized
move: moves, moved, moving
live: lives, lived, living
shoe: shoes
cookie: cookies
movie: movies
index: indices, indexes
criterion: criteria
datum: data
analysis: analyses
matrix: matrices
schema: schemata
`

/** Words that only look inflected. */
export const notInflected: ReadonlySet<string> = new Set(
  `always perhaps towards across besides news lens series species physics politics kubernetes redis postgres
  jenkins https sass macos rails windows pants during morning evening ceiling wedding sibling nothing something
  anything everything hundred naked sacred embed indeed hundreds aws css dns gps sms ios os sometimes yes thus plus
  minus this his its whereas gas atlas canvas texas kansas paris athens brussels naples christmas james thomas
  united nested closed unsigned less unless express as is was has us staging string spring`.split(/\s+/),
)

/** Each irregular form with its base. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  irregular
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [base = "", forms = ""] = line.split(": ")
      return forms.split(", ").map((form): [string, string] => [form, base])
    }),
)
