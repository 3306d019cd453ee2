import { Migration } from '@mikro-orm/migrations';

/** Adds memories, the sessions that taught or used them, and their word counts. */
export class Migration20261123083500_memories_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table "memories" ("id" uuid not null, "content" text not null, "category" text not null, "alert_type" text null, "team" text null, "confidence" double precision not null, "seen_count" int not null default 1, "deprecated" boolean not null default false, "judged_by" text null, "source_session_id" uuid null, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now(), "document" tsvector not null, primary key ("id"))`,
    );
    this.addSql(`create index "memories_created_at_id_index" on "memories" ("created_at", "id")`);
    this.addSql(`create index "memories_document" on "memories" using gin ("document")`);
    this.addSql(
      `create table "memory_sessions" ("memory_id" uuid not null, "session_id" uuid not null, "role" text not null, "rating" text null, "at" timestamptz(3) not null default now(), primary key ("memory_id", "session_id", "role"))`,
    );
    this.addSql(
      `create index "memory_sessions_session_id_role_index" on "memory_sessions" ("session_id", "role")`,
    );
    this.addSql(
      `alter table "memory_sessions" add constraint "memory_sessions_memory_id_foreign" foreign key ("memory_id") references "memories" ("id") on delete cascade`,
    );
    this.addSql(
      `create table "memory_words" ("word" text not null, "memories" int not null, primary key ("word"))`,
    );
    this.addSql(`create index "memory_words_trgm" on "memory_words" using gin ("word" gin_trgm_ops)`);
    this.countWords();
  }

  /** Counts words once per statement and in a fixed order, so that concurrent statements wait instead of deadlocking. */
  private countWords(): void {
    this.addSql(`
      create function tarsy_count_memory_words() returns trigger language plpgsql set search_path from current as $$
      begin
        if tg_op = 'INSERT' then
          insert into memory_words as w (word, memories)
            select word, count(*) from added, unnest(array_append(tsvector_to_array(document), ''::text)) word group by word order by word
            on conflict (word) do update set memories = w.memories + excluded.memories;
        elsif tg_op = 'DELETE' then
          insert into memory_words as w (word, memories)
            select word, -count(*) from removed, unnest(array_append(tsvector_to_array(document), ''::text)) word group by word order by word
            on conflict (word) do update set memories = w.memories + excluded.memories;
        else
          insert into memory_words as w (word, memories)
            select word, sum(change) from (
              select word, 1 as change from added, unnest(tsvector_to_array(document)) word
              union all
              select word, -1 from removed, unnest(tsvector_to_array(document)) word
            ) changes group by word having sum(change) <> 0 order by word
            on conflict (word) do update set memories = w.memories + excluded.memories;
        end if;
        return null;
      end $$`);
    for (const [verb, referencing] of [
      ['insert', 'new table as added'],
      ['delete', 'old table as removed'],
      ['update', 'old table as removed new table as added'],
    ])
      this.addSql(
        `create trigger "memories_${verb}" after ${verb} on "memories" referencing ${referencing} for each statement execute function tarsy_count_memory_words()`,
      );
  }
}
