import { MultiSelect } from '../../components/multi-select.tsx';
import { PeriodField } from '../../components/period-field.tsx';
import { SEVERITIES, severityName } from '../../components/severity.tsx';
import type {
  FilterOptionsQuery,
  QualityRating,
  ReviewStatus,
  SessionFacet,
  SessionStatus,
  Severity,
  VerdictKind,
} from '../../graphql/gen/documents.ts';
import { statusLook } from '../../theme.ts';
import { VERDICT_KINDS, VERDICTS } from '../report/verdict.tsx';
import { QUALITY_RATINGS, RATINGS, REVIEW_STATUS_LABELS } from '../review/review-labels.ts';
import { FINISHED, REVIEW_STATUSES } from './list-view.ts';
import { useFacetCounts } from './use-facet-counts.ts';
import type { ListViewState } from './use-list-view.ts';

interface Props {
  readonly list: ListViewState;
  /** Undefined until loaded; meanwhile only the selected values are offered. */
  readonly options: FilterOptionsQuery['sessionFilterOptions'] | undefined;
}

/** The filter fields. Once a field is opened, each option shows how many sessions it would match. */
export function FilterFields({ list: { view, change }, options }: Props) {
  const counts = useFacetCounts(view);
  const counted = (by: SessionFacet) => ({ opened: () => counts.load(by), note: counts.of(by) });
  return (
    <>
      <MultiSelect
        label="Verdict"
        {...counted('VERDICT')}
        values={view.verdict}
        options={VERDICT_KINDS}
        name={(verdict) => VERDICTS[verdict as VerdictKind].label}
        change={(verdict) => change({ verdict: verdict as VerdictKind[] })}
      />
      {options?.labels.length === 0 && view.label.length === 0 ? null : (
        <MultiSelect
          label="Label"
          {...counted('LABEL')}
          values={view.label}
          options={options?.labels}
          change={(label) => change({ label })}
        />
      )}
      <MultiSelect
        label="Status"
        {...counted('STATUS')}
        values={view.status}
        options={FINISHED}
        name={(status) => statusLook[status as SessionStatus].label}
        change={(status) => change({ status: status as SessionStatus[] })}
      />
      <MultiSelect
        label="Severity"
        {...counted('SEVERITY')}
        values={view.severity}
        options={SEVERITIES}
        name={(severity) => severityName(severity as Severity)}
        change={(severity) => change({ severity: severity as Severity[] })}
      />
      <MultiSelect
        label="Alert type"
        {...counted('ALERT_TYPE')}
        values={view.alertType}
        options={options?.alertTypes}
        change={(alertType) => change({ alertType })}
      />
      {options?.teams.length === 0 && view.team.length === 0 ? null : (
        <MultiSelect
          label="Team"
          {...counted('TEAM')}
          values={view.team}
          options={options?.teams}
          change={(team) => change({ team })}
        />
      )}
      <MultiSelect
        label="Chain"
        {...counted('CHAIN')}
        values={view.chainId}
        options={options?.chainIds}
        change={(chainId) => change({ chainId })}
      />
      <MultiSelect
        label="Author"
        {...counted('AUTHOR')}
        values={view.author}
        options={options?.authors}
        change={(author) => change({ author })}
      />
      <MultiSelect
        label="Review"
        {...counted('REVIEW_STATUS')}
        values={view.review}
        options={REVIEW_STATUSES}
        name={(status) => REVIEW_STATUS_LABELS[status as ReviewStatus]}
        change={(review) => change({ review: review as ReviewStatus[] })}
      />
      <MultiSelect
        label="Rating"
        {...counted('RATING')}
        values={view.rating}
        options={QUALITY_RATINGS}
        name={(rating) => RATINGS[rating as QualityRating].label}
        change={(rating) => change({ rating: rating as QualityRating[] })}
      />
      <PeriodField label="Submitted" value={view} change={change} />
    </>
  );
}
