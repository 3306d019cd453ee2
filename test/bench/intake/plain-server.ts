import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema, createYoga } from 'graphql-yoga';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

/**
 * A baseline server: Yoga with one mutation that inserts one row, which is the least that taking an alert
 * costs.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query('create table if not exists bare_alerts (id uuid primary key, data text not null)');
const schema = createSchema({
  typeDefs: 'type Query { hello: String } type Mutation { submit(data: String!): ID! }',
  resolvers: {
    Mutation: {
      async submit(_: unknown, { data }: { data: string }) {
        const id = uuidv7();
        await pool.query('insert into bare_alerts (id, data) values ($1, $2)', [id, data]);
        return id;
      },
    },
  },
});
const http = createServer(createYoga({ schema, logging: false }));
http.listen(0, '127.0.0.1', () => process.send!({ port: (http.address() as AddressInfo).port }));
