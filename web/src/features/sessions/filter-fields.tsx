import { ManyOf } from '../../components/many-of.tsx';
import { PeriodField } from '../../components/period-field.tsx';
import type { FilterOptionsQuery, SessionStatus } from '../../graphql/gen/documents.ts';
import { statusLook } from '../../theme.ts';
import { FINISHED } from './list-view.ts';
import type { ListViewState } from './use-list-view.ts';

interface Props {
  readonly list: ListViewState;
  /** Undefined while they are not known: only what is chosen is offered then. */
  readonly options: FilterOptionsQuery['sessionFilterOptions'] | undefined;
}

/** The conditions besides the search. */
export function FilterFields({ list: { view, change }, options }: Props) {
  return (
    <>
      <ManyOf
        label="Status"
        values={view.status}
        options={FINISHED}
        name={(status) => statusLook[status as SessionStatus].label}
        change={(status) => change({ status: status as SessionStatus[] })}
      />
      <ManyOf
        label="Type"
        values={view.alertType}
        options={options?.alertTypes}
        change={(alertType) => change({ alertType })}
      />
      <ManyOf
        label="Chain"
        values={view.chainId}
        options={options?.chainIds}
        change={(chainId) => change({ chainId })}
      />
      <ManyOf
        label="Author"
        values={view.author}
        options={options?.authors}
        change={(author) => change({ author })}
      />
      <PeriodField label="Submitted" value={view} change={change} />
    </>
  );
}
