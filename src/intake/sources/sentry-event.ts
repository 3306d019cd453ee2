import type { JsonReader, TextPair } from '../json-reader.ts';

/** Limits of an event's text: the frames nearest to the crash and the last breadcrumbs say most. */
const MAX_EXCEPTIONS = 3;
const MAX_FRAMES = 12;
const MAX_BREADCRUMBS = 10;
const MAX_LINE = 300;

/** Returns where and how a Sentry event happened: exceptions with frames, the request, and the last breadcrumbs. */
export function eventAnnotations(event: JsonReader): TextPair[] {
  const exceptions = listOf(event, 'exception').slice(-MAX_EXCEPTIONS).map(exceptionText);
  const request = partOf(event, 'request');
  const [method, url] = [request.at('method').text(), request.at('url').text()];
  const crumbs = listOf(event, 'breadcrumbs').slice(-MAX_BREADCRUMBS).map(breadcrumbText);
  return [
    ['exception', exceptions.join('\n\n') || null],
    ['request', [method, url].filter((part) => part !== null).join(' ') || null],
    ['breadcrumbs', crumbs.join('\n') || null],
    ['log', partOf(event, 'logentry').at('formatted').text()],
  ];
}

/** Returns a part of an event: the member of that name or, in some payloads, the item of `entries` of that type. */
function partOf(event: JsonReader, type: string): JsonReader {
  const member = event.at(type);
  if (member.exists) return member;
  const entry = event
    .at('entries')
    .list()
    .find((each) => each.at('type').text() === type);
  return entry?.at('data') ?? member;
}

function listOf(event: JsonReader, type: string): JsonReader[] {
  const part = partOf(event, type);
  return Array.isArray(part.value) ? part.list() : part.at('values').list();
}

/** Returns an exception and its frames, the nearest to the crash first. */
function exceptionText(exception: JsonReader): string {
  const head = [exception.at('type').text(), exception.at('value').text()]
    .filter((part) => part !== null)
    .join(': ');
  const frames = exception.at('stacktrace', 'frames').list();
  const shown = frames.slice(-MAX_FRAMES).reverse().map(frameText);
  const left = frames.length - shown.length;
  return [line(head), ...shown, ...(left > 0 ? [`  and ${left} more frames`] : [])].join('\n');
}

function frameText(frame: JsonReader): string {
  const file =
    frame.at('filename').text() ?? frame.at('module').text() ?? frame.at('abs_path').text() ?? 'unknown';
  const number = frame.at('lineno').text();
  const code = frame.at('context_line').text()?.trim();
  const place = `${file}${number === null ? '' : `:${number}`}`;
  const isOwn = frame.at('in_app').value === true ? ' [own code]' : '';
  return line(`  at ${frame.at('function').text() ?? '?'} (${place})${isOwn}${code ? `: ${code}` : ''}`);
}

function breadcrumbText(crumb: JsonReader): string {
  const at = crumb.at('timestamp').date()?.toISOString() ?? null;
  const data = crumb
    .at('data')
    .entries()
    .map((pair) => pair.join('='));
  const texts = ['category', 'level', 'message'].map((name) => crumb.at(name).text());
  return line([at, ...texts, ...data].filter((part) => part !== null).join(' '));
}

function line(text: string): string {
  const single = text.replace(/\r?\n/g, ' ');
  return single.length <= MAX_LINE ? single : `${single.slice(0, MAX_LINE - 1)}…`;
}
