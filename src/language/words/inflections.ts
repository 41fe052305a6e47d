import irregular from "../../../assets/words/irregular-forms.json" with { type: "json" }

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
  Object.entries(irregular).flatMap(([base, forms]) =>
    forms.split(", ").map((form): [string, string] => [form, base]),
  ),
)
