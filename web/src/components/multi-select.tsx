import { ChoiceField, type ChoiceWidth } from './choice-field.tsx';

interface Props {
  readonly label: string;
  readonly values: readonly string[];
  /** Values to choose from; undefined while loading, when only the chosen values are offered. */
  readonly options: readonly string[] | undefined;
  readonly name?: (value: string) => string;
  readonly change: (values: string[]) => void;
  readonly note?: ((value: string) => string | undefined) | undefined;
  readonly opened?: (() => void) | undefined;
  readonly width?: ChoiceWidth | undefined;
}

/** A filter that matches any of the chosen values. */
export function MultiSelect({
  label,
  values,
  options,
  name = (value) => value,
  change,
  note,
  opened,
  width,
}: Props) {
  // All options and the chosen values, because a value that no record contains any more must still be
  // removable.
  const all = [...new Set([...(options ?? []), ...values])];
  return (
    <ChoiceField
      multiple
      label={label}
      choices={all.map((value) => ({ value, name: name(value), note: note?.(value) }))}
      chosen={values}
      valueText={values.length > 1 ? `${values.length} selected` : values.map(name).join('')}
      change={change}
      opened={opened}
      width={width}
    />
  );
}

export const filterField = { width: { xs: '100%', md: 128 } } as const;
