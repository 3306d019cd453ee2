import { type CaseDocument, caseDocument, MAX_CASE_BYTES, orderedDocument } from './document.ts';
import { CaseError, checked, checkReferences, type Locate } from './errors.ts';

/** Parses a case as one JSON document. @throws CaseError */
export function parseCaseDocument(json: string): CaseDocument {
  const file = 'document';
  const locate: Locate = () => ({ file, line: 0 });
  const fail = (message: string) => new CaseError([{ file, line: 0, path: '', message }]);
  if (Buffer.byteLength(json) > MAX_CASE_BYTES)
    throw fail(`is larger than ${MAX_CASE_BYTES / 1024 / 1024} MiB`);
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch {
    throw fail('is not JSON');
  }
  const document = checked<CaseDocument>(caseDocument, data, locate);
  checkReferences(document, locate);
  return orderedDocument(document);
}
