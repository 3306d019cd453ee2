import type pg from 'pg';

/** Returns every column of every row as text, by table. */
export async function databaseTexts(client: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const contents: Record<string, string> = {};
  for (const { name } of rows) {
    const found = await client.query<{ content: string }>(
      `select coalesce(string_agg(row::text, E'\\n'), '') as content from ${name} as row`,
    );
    contents[name] = found.rows[0]?.content ?? '';
  }
  return contents;
}
