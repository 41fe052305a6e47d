/** Values and their texts. */
type Options<Value> = readonly (readonly [Value, string])[]

interface ChoiceProps<Value> {
  value: Value
  options: Options<Value>
  onChange(value: Value): void
}

interface SelectProps<Value> extends ChoiceProps<Value> {
  label: string
  /** Shows the label above the list, as in a form. */
  isField?: boolean
}

/** A drop-down list. */
export function Select<Value extends string | number>(props: SelectProps<Value>) {
  const { label, value, options, onChange, isField = false } = props
  const list = (
    <select
      aria-label={label}
      className={isField ? "" : "slim"}
      value={value}
      onChange={({ target }) => {
        const chosen = options[target.selectedIndex]
        if (chosen) onChange(chosen[0])
      }}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
  if (!isField) return list
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the list is its control
    <label className="field">
      <span>{label}</span>
      {list}
    </label>
  )
}

interface TextFieldProps {
  label: string
  value: string
  placeholder?: string
  onChange(value: string): void
}

/** A line of text with its label. */
export function TextField({ label, value, placeholder, onChange }: TextFieldProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        type="text"
        value={value}
        placeholder={placeholder}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}

/** Buttons of which one is pressed. */
export function Tabs<Value extends string | number>({ value, options, onChange }: ChoiceProps<Value>) {
  return (
    <div className="tabs">
      {options.map(([one, text]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onChange(one)}>
          {text}
        </button>
      ))}
    </div>
  )
}
