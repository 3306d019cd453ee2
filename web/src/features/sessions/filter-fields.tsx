import { ManyOf } from '../../components/many-of.tsx';
import { PeriodField } from '../../components/period-field.tsx';
import { SEVERITIES, severityName } from '../../components/severity.tsx';
import type {
  FilterOptionsQuery,
  ReviewStatus,
  SessionStatus,
  Severity,
  VerdictKind,
} from '../../graphql/gen/documents.ts';
import { statusLook } from '../../theme.ts';
import { VERDICT_KINDS, VERDICTS } from '../report/verdict.tsx';
import { REVIEW_STATUSES as REVIEW_WORDS } from '../review/review-words.ts';
import { FINISHED, REVIEW_STATUSES } from './list-view.ts';
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
        label="Severity"
        values={view.severity}
        options={SEVERITIES}
        name={(severity) => severityName(severity as Severity)}
        change={(severity) => change({ severity: severity as Severity[] })}
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
      <ManyOf
        label="Verdict"
        values={view.verdict}
        options={VERDICT_KINDS}
        name={(verdict) => VERDICTS[verdict as VerdictKind].label}
        change={(verdict) => change({ verdict: verdict as VerdictKind[] })}
      />
      <ManyOf
        label="Review"
        values={view.review}
        options={REVIEW_STATUSES}
        name={(status) => REVIEW_WORDS[status as ReviewStatus]}
        change={(review) => change({ review: review as ReviewStatus[] })}
      />
      <PeriodField label="Submitted" value={view} change={change} />
    </>
  );
}
