import { Migration } from '@mikro-orm/migrations';

/** Adds the configurations of the running workers, for comparison. */
export class Migration20261123041000_running_configurations_additive extends Migration {
  override up(): void {
    this.addSql(
      `create table if not exists "running_configurations" ("process" text not null, "version" text not null, "started_at" timestamptz(3) not null default now(), "seen_at" timestamptz(3) not null default now(), "described" jsonb not null, primary key ("process"))`,
    );
  }
}
