import { Migration } from '@mikro-orm/migrations';

/** Counts lost workers per session or answer, apart from its attempts, because requeueing is not a crash. */
export class Migration20261122170000_workers_lost_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "alert_sessions" add column "workers_lost" int not null default 0`);
    this.addSql(`alter table "stages" add column "workers_lost" int not null default 0`);
  }
}
