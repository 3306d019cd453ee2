import { Migration } from '@mikro-orm/migrations';

/** Key of the advisory lock under which the search index is built; "sear" as bytes. */
const INDEX_LOCK = 0x73656172;

/**
 * Adds the session's team to its search document and to the search index, so that a search reads no sessions of teams that the
 * viewer does not see. One index replaces two.
 *
 * Not one transaction, because it would hold its locks until the index is built. Each statement is complete in itself and can be
 * repeated, so the next start continues an interrupted migration. Adding the column rewrites no row, and only sessions with a
 * team are updated, 200 at a time. While the index is built, sessions are stored, ended and searched; processes of every version
 * put off writing search documents, because `tarsy_index_due` does nothing then.
 */
export class Migration20261128030000_search_scope_additive extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `alter table "session_search" add column if not exists "scope" text[] not null default '{""}'`,
    );
    this.addSql(`
      create or replace function tarsy_index_session(session uuid) returns void
      language plpgsql set search_path from current as $$
      declare
        content text := tarsy_session_text(session);
      begin
        insert into session_search (session_id, words, document, scope)
          select s.id, tarsy_search_words(content), tarsy_search_document(content), array[coalesce(s.team, '')]
          from alert_sessions s where s.id = session
          on conflict (session_id) do update
            set words = excluded.words, document = excluded.document, scope = excluded.scope;
      exception when others then
        raise warning 'session % is not searchable: %', session, sqlerrm;
      end $$`);
    this.addSql(`
      create or replace function tarsy_index_due(for_ms int) returns int language plpgsql set search_path from current as $$
      declare
        until timestamptz := clock_timestamp() + for_ms * interval '1 millisecond';
        due uuid;
        made int := 0;
      begin
        if not pg_try_advisory_xact_lock_shared(${INDEX_LOCK}) then
          return 0;
        end if;
        while clock_timestamp() < until loop
          delete from session_search_due where id = (
            select id from session_search_due order by id limit 1 for update skip locked) returning session_id into due;
          exit when not found;
          if tarsy_session_text(due) is not null then
            perform tarsy_index_session(due);
          end if;
          made := made + 1;
        end loop;
        return made;
      end $$`);
    this.addSql(`
      do $$
      declare
        batch uuid[];
        last uuid := '00000000-0000-0000-0000-000000000000';
      begin
        loop
          batch := array(select id from alert_sessions where team is not null and id > last order by id limit 200);
          exit when cardinality(batch) = 0;
          last := batch[cardinality(batch)];
          update session_search d set scope = array[s.team]
            from alert_sessions s where s.id = d.session_id and s.id = any(batch) and d.scope <> array[s.team];
          commit;
        end loop;
      end $$`);
    this.addSql(`
      do $$
      begin
        perform pg_advisory_xact_lock(${INDEX_LOCK});
        create index if not exists "session_search_terms" on "session_search"
          using gin ("words" gin_trgm_ops, "document", "scope") with (gin_pending_list_limit = 2048);
      end $$`);
    for (const index of ['session_search_words_trgm', 'session_search_document'])
      this.addSql(`drop index if exists "${index}"`);
  }
}
