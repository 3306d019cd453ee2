import { Migration } from '@mikro-orm/migrations';

/** Adds the suite of a replay, so that the end of a suite can be told. */
export class Migration20261128161000_replay_suites_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "replays" add column "suite_id" uuid null, add column "suite_size" int null`);
    this.addSql(`create index "replays_suite" on "replays" ("suite_id")`);
  }
}
