import { Migration } from '@mikro-orm/migrations';

/** Counts the workers that a session, or an answer, lost, apart from how often it was begun: handing over is no crash. */
export class Migration20261122170000_workers_lost_additive extends Migration {
  override up(): void {
    this.addSql(`alter table "alert_sessions" add column "workers_lost" int not null default 0`);
    this.addSql(`alter table "stages" add column "workers_lost" int not null default 0`);
  }
}
