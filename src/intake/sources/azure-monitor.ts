import { severityOf } from '../../engine/alert/severity.ts';
import type { ParseDelivery } from '../delivery.ts';
import { unreadable } from '../errors.ts';
import { type JsonReader, readJson, type TextPair } from '../json-reader.ts';
import { partsOf } from '../keys.ts';
import { toDelivery } from '../parsed-alert.ts';
import { stateOf } from './alert-state.ts';

/**
 * Parses Azure Monitor's common alert schema. A rule and its targets are a group. Azure's own id, with dimensions and
 * series labels, identifies an alert within the group, because one rule may have several alerts at a time.
 */
export const azureMonitor: ParseDelivery = (delivery) => {
  const body = readJson(delivery);
  if (body.at('schemaId').text() !== 'azureMonitorCommonAlertSchema')
    throw unreadable(
      '$.schemaId',
      'expected azureMonitorCommonAlertSchema; enable the common alert schema in the action group',
    );
  const essentials = body.at('data', 'essentials').requireObject();
  const state = stateOf(essentials.at('monitorCondition').requireText(), ['Resolved']);
  const targets = essentials.at('alertTargetIDs');
  const rule = essentials.at('alertRuleId').text() ?? essentials.at('alertRule').requireText();
  const group = [rule, ...targets.texts().sort()];
  const context = body.at('data', 'alertContext');
  const series = [...dimensionsOf(context), ...context.at('labels').entries()];
  const id = essentials.at('alertId').text() ?? essentials.at('originAlertId').text();
  const own = [...partsOf(Object.fromEntries(series)), ...(id === null ? [] : [id])];
  return toDelivery([
    {
      fingerprint: own.length === 0 ? group : [...group, ...own],
      group,
      episode: id,
      title: essentials.at('alertRule').text() ?? rule,
      severity: severityOf(essentials.at('severity').text()),
      state,
      labels: [
        ...series,
        ...body.at('data', 'customProperties').entries(),
        ['signal', essentials.at('signalType').text()],
        ['service', essentials.at('monitoringService').text()],
        ['targets', targets.joined()],
        ['items', essentials.at('configurationItems').joined()],
      ],
      annotations: [
        ['description', essentials.at('description').text()],
        ...context.at('annotations').entries(),
        ...context.entries().map(([name, value]): TextPair => [`context.${name}`, value]),
      ],
      startsAt: essentials.at('firedDateTime').date(),
      endsAt: essentials.at('resolvedDateTime').date(),
      url: linkOf(context, essentials.at('alertId').text()),
    },
  ]);
};

/** Returns the dimensions of metric alerts and log alerts: what one alert of a rule is about. */
function dimensionsOf(context: JsonReader): [string, string][] {
  const conditions = context.at('condition', 'allOf').list();
  const written = [context, ...conditions].flatMap((each) => each.at('dimensions').list());
  return written.flatMap((each): [string, string][] => {
    const [name, value] = [each.at('name').text(), each.at('value').text()];
    return name === null || value === null ? [] : [[name, value]];
  });
}

/** Returns the link to the search results, else the page of the alert in the portal; `null` if there is neither. */
function linkOf(context: JsonReader, id: string | null): string | null {
  const places = [context, ...context.at('condition', 'allOf').list()];
  const names = ['linkToFilteredSearchResultsUI', 'linkToSearchResultsUI', 'linkToFilteredSearchResultsUi'];
  const links = names.flatMap((name) => places.flatMap((place) => place.at(name).text() ?? []));
  if (links.length > 0) return links[0]!;
  if (id === null || !id.startsWith('/subscriptions/')) return null;
  return `https://portal.azure.com/#view/Microsoft_Azure_Monitoring_Alerts/AlertDetails.ReactView/alertId/${encodeURIComponent(id)}`;
}
