/** Words that carry no meaning of their own here: a difference in them is none. */
export const emptyWords: ReadonlySet<string> = words(`
  a an the this that these those is are was were be been being am do does did there of which who whom we our ours us
  you your yours please now currently presently ever so own also-known it's`)

/** Words that hold a sentence together: a difference in them keeps two statements apart, but opposes nothing. */
export const linkWords: ReadonlySet<string> = words(`
  in on at by to for from with into onto over under up down off out about as and or but if then than when while because
  since until after before during between among through via per against within upon toward towards around near
  it its he him his she her hers they them their theirs i me my mine one's have has had having will would let's
  where what how why whether though although however just still yet already too also any some such each other both
  either neither nor same very really quite rather only even again back away here`)

/** Words that narrow a statement to a case: with one of them more on one side, both may hold. */
export const narrowingWords: ReadonlySet<string> = words(`
  if when whenever unless except only until while during where wherever besides otherwise sometimes often usually
  mostly occasionally also additionally too partly partially temporarily once some maybe perhaps might before after`)

/** Verbs whose objects add up: who knows one thing may know another. */
export const addingVerbs: ReadonlySet<string> = words(`
  know like love enjoy adore hate dislike speak support include mention cover understand learn study visit contain
  import recommend consider evaluate try test allow accept forbid ban avoid hear see read own collect follow need`)

/** What a number after it names rather than counts. */
export const numberedThings: ReadonlySet<string> = words(`
  issue pr ticket bug step line page chapter section commit task story case milestone example figure rfc pep adr
  run build job todo item question exercise lesson episode room building gate # number no server worker machine
  replica shard phase sprint week round floor player team unit device sensor camera disk drawer box attempt try wave batch`)

/** Words that tell a statement of the past. */
export const pastWords: ReadonlySet<string> = words(`was were had did formerly previously originally`)

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/))
}
