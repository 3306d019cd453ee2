import { useEffect, useMemo, useState } from 'react';
import { looksLikeYaml, prettyText } from '../../lib/data-text.ts';

/** An alert as it should be read: indented when it is JSON or YAML, as it came otherwise. */
export function useAlertText(alert: string): string {
  const plain = useMemo(() => prettyText(alert), [alert]);
  const [yaml, setYaml] = useState<string | null>(null);
  useEffect(() => {
    if (plain.isJson || !looksLikeYaml(alert)) return;
    let left = false;
    // Its parser weighs as much as the page: it comes only when there is something to parse.
    void import('../../lib/pretty-yaml.ts').then(({ prettyYaml }) => {
      if (!left) setYaml(prettyYaml(alert));
    });
    return () => {
      left = true;
    };
  }, [alert, plain]);
  return yaml ?? plain.text;
}
