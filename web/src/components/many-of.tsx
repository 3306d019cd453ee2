import { ChoiceField, type ChoiceWidth } from './choice-field.tsx';

interface Props {
  readonly label: string;
  readonly values: readonly string[];
  /** Undefined while they are not known: only what is chosen is offered then. */
  readonly options: readonly string[] | undefined;
  readonly name?: (value: string) => string;
  readonly change: (values: string[]) => void;
  /** What stands at the end of a value, such as how many have it. */
  readonly note?: ((value: string) => string | undefined) | undefined;
  readonly opened?: (() => void) | undefined;
  readonly width?: ChoiceWidth | undefined;
}

/** A condition that any of the chosen values fulfils. */
export function ManyOf({
  label,
  values,
  options,
  name = (value) => value,
  change,
  note,
  opened,
  width,
}: Props) {
  // What is chosen is offered even where nothing has it any more: it must be possible to take it away.
  const all = [...new Set([...(options ?? []), ...values])];
  return (
    <ChoiceField
      many
      label={label}
      choices={all.map((value) => ({ value, name: name(value), note: note?.(value) }))}
      chosen={values}
      said={values.length > 1 ? `${values.length} chosen` : values.map(name).join('')}
      change={change}
      opened={opened}
      width={width}
    />
  );
}

/** Looks of one condition of a list. */
export const filterField = { width: { xs: '100%', md: 128 } } as const;
