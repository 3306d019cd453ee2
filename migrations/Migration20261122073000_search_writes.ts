import { Migration } from '@mikro-orm/migrations';

/** Halves what an alert pays for being found: the plans are kept for a connection, and more documents go into the indexes at once. */
export class Migration20261122073000_search_writes extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function tarsy_index_session(session uuid) returns void
      language plpgsql set search_path from current as $$
      declare
        content text := tarsy_session_text(session);
      begin
        insert into session_search (session_id, words, document)
          values (session, tarsy_search_words(content), tarsy_search_document(content))
          on conflict (session_id) do update set words = excluded.words, document = excluded.document;
      end $$`);
    // Each search reads what is not yet in the indexes: at most 2 ms.
    for (const index of ['session_search_words_trgm', 'session_search_document'])
      this.addSql(`alter index "${index}" set (gin_pending_list_limit = 2048)`);
  }
}
