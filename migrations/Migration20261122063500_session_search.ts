import { Migration } from '@mikro-orm/migrations';

/**
 * Adds one search document per session in place of trigram indexes over timeline items and session rows, which every change
 * had to update. Triggers keep it up to date, so that processes of an older version do so too.
 *
 * Not one transaction, because it would hold its locks for minutes until every session is read. Each statement is complete in
 * itself and can be repeated, so the next start continues an interrupted migration. Writers wait only for moments: indexes are
 * built on an empty table and on the few rows of stages, sessions are read 20 at a time, and dropping an index is fast.
 * CONCURRENTLY is not used, because it waits for all running statements, including another starting process that waits for this
 * migration. Until all processes are upgraded, searches of old ones run without an index: slow, but correct.
 */
export class Migration20261122063500_session_search extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.createTable();
    this.createFunctions();
    this.createTriggers();
    this.fill();
    for (const index of [
      'alert_sessions_alert_data_trgm',
      'alert_sessions_final_analysis_trgm',
      'timeline_events_content_trgm',
    ])
      this.addSql(`drop index if exists "${index}"`);
  }

  private createTable(): void {
    this.addSql(`
      create table if not exists "session_search" (
        "session_id" uuid not null,
        "words" text not null,
        "document" tsvector not null,
        primary key ("session_id"),
        constraint "session_search_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on update cascade on delete cascade
      )`);
    // Keeps the searched text in the row, uncompressed if possible, because reading it elsewhere costs more than comparing.
    this.addSql(`alter table "session_search" alter column "words" set storage main`);
    this.addSql(`alter table "session_search" set (toast_tuple_target = 4080)`);
    // Each search also reads the index's pending list; at this length that takes at most 2 ms.
    this.addSql(
      `create index if not exists "session_search_words_trgm" on "session_search" using gin ("words" gin_trgm_ops) with (gin_pending_list_limit = 2048)`,
    );
    this.addSql(
      `create index if not exists "session_search_document" on "session_search" using gin ("document") with (gin_pending_list_limit = 2048)`,
    );
    this.addSql(
      `create index if not exists "stages_answering" on "stages" ("session_id") where "type" = 'CHAT' and "status" in ('PENDING', 'ACTIVE')`,
    );
  }

  private createFunctions(): void {
    // English without stop words, because short words are searched as prefixes and a prefix may be "is".
    this.addSql(`
      do $$
      begin
        create text search dictionary tarsy_stems (template = pg_catalog.snowball, language = english);
        create text search configuration tarsy_search (copy = pg_catalog.english);
        alter text search configuration tarsy_search
          alter mapping for asciiword, word, asciihword, hword, hword_asciipart, hword_part with tarsy_stems;
      exception when unique_violation or duplicate_object then null;
      end $$`);
    // Distinct, because most of a session's text repeats.
    this.addSql(`
      create or replace function tarsy_search_words(content text) returns text
      language sql stable strict parallel safe as $$
        select coalesce(string_agg(distinct word collate "C", ' '), '')
        from string_to_table(replace(replace(replace(lower(content), E'\\t', ' '), E'\\n', ' '), E'\\r', ' '), ' ') as word
        where word <> ''
      $$`);
    // The parser looks for hosts, paths, numbers and tags, which takes minutes on hostile text ("a_a_a_…"). Without their
    // characters it finds only words, in linear time. A tsvector is limited to 1 MiB.
    this.addSql(`
      create or replace function tarsy_search_document(content text) returns tsvector
      language plpgsql stable strict parallel safe set client_min_messages = 'error' set search_path from current as $$
      declare
        plain text := left(content, 1000000);
        mark text;
      begin
        foreach mark in array array['_', '-', '.', '/', '@', '<', '&', '~', '+'] loop
          plain := replace(plain, mark, ' ');
        end loop;
        begin
          return to_tsvector('tarsy_search', plain);
        exception when program_limit_exceeded then
          return to_tsvector('tarsy_search', left(plain, 100000));
        end;
      end $$`);
    this.addSql(`
      create or replace function tarsy_session_text(session uuid) returns text
      language sql stable set search_path from current as $$
        select concat_ws(E'\\n', s.alert_data, s.final_analysis, (
          select string_agg(t.content, E'\\n' order by t.sequence_number) from timeline_events t
          where t.session_id = s.id and t.status <> 'STREAMING'))
        from alert_sessions s where s.id = session
      $$`);
    // Errors are ignored: a session must be stored and end even if it cannot be indexed. PL/pgSQL keeps its plans.
    this.addSql(`
      create or replace function tarsy_index_session(session uuid) returns void
      language plpgsql set search_path from current as $$
      declare
        content text := tarsy_session_text(session);
      begin
        insert into session_search (session_id, words, document)
          values (session, tarsy_search_words(content), tarsy_search_document(content))
          on conflict (session_id) do update set words = excluded.words, document = excluded.document;
      exception when others then
        raise warning 'session % is not searchable: %', session, sqlerrm;
      end $$`);
  }

  private createTriggers(): void {
    for (const [name, key] of [
      ['tarsy_session_changed', 'id'],
      ['tarsy_answer_ended', 'session_id'],
    ])
      this.addSql(`
        create or replace function ${name}() returns trigger language plpgsql set search_path from current as $$
        begin
          perform tarsy_index_session(new.${key});
          return null;
        end $$`);
    this.addSql(
      `create or replace trigger "alert_sessions_index_new" after insert on "alert_sessions" for each row execute function tarsy_session_changed()`,
    );
    this.addSql(
      `create or replace trigger "alert_sessions_index_ended" after update of "status" on "alert_sessions" for each row when (old.status <> new.status and new.status in ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')) execute function tarsy_session_changed()`,
    );
    this.addSql(
      `create or replace trigger "stages_index_answered" after update of "status" on "stages" for each row when (new.type = 'CHAT' and old.status in ('PENDING', 'ACTIVE') and new.status not in ('PENDING', 'ACTIVE')) execute function tarsy_answer_ended()`,
    );
  }

  /** Keeps documents that a trigger has written, because they are newer. */
  private fill(): void {
    this.addSql(`
      do $$
      declare
        batch uuid[];
        last uuid := '00000000-0000-0000-0000-000000000000';
      begin
        loop
          batch := array(select id from alert_sessions where id > last order by id limit 20);
          exit when cardinality(batch) = 0;
          last := batch[cardinality(batch)];
          insert into session_search (session_id, words, document)
            select id, tarsy_search_words(content), tarsy_search_document(content)
            from unnest(batch) id, tarsy_session_text(id) as content
            where content is not null and not exists (select 1 from session_search d where d.session_id = id)
            on conflict (session_id) do nothing;
          commit;
        end loop;
      end $$`);
  }
}
