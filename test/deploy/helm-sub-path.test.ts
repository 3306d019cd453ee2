import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { findOauth2Proxy, type Oauth2Proxy, startOauth2Proxy } from '../helpers/oauth2-proxy.ts';
import { HELM, renderChart, VALUE_SETS } from './chart.ts';
import { of } from './network-problems.ts';

const program = findOauth2Proxy();
const SUB_PATH = '/tools/tarsy';

describe.skipIf(!HELM || program === null)(
  'a sub-path behind oauth2-proxy, as the chart sets it (skipped without Helm or oauth2-proxy)',
  () => {
    let app: TestApp;
    let proxy: Oauth2Proxy;
    beforeAll(async () => {
      const { manifests } = renderChart(VALUE_SETS['sub-path']!);
      const config = of(manifests, 'ConfigMap').find(
        ({ metadata }) => metadata.name === 'tarsy-oauth2-proxy',
      );
      app = await startTestApp({
        auth: { mode: 'proxy', trusted_proxies: ['127.0.0.1'] },
        system: { dashboard_url: `https://tools.acme.test${SUB_PATH}` },
      });
      const settings = { text: config.data['oauth2-proxy.cfg'] };
      const options = { settings, subPath: SUB_PATH };
      proxy = await startOauth2Proxy(program!, app.url, { ana: 'correct horse' }, options);
    });
    afterAll(async () => {
      await proxy?.stop();
      await app?.stop();
    });
    const get = (path: string, headers = {}) => fetch(`${proxy.url}${SUB_PATH}${path}`, { headers });

    test('answers health checks without a sign-in, and programs with 401', async () => {
      expect((await get('/health')).status).toBe(200);
      expect((await get('/graphql?query={__typename}')).status).toBe(401);
      expect((await get('/webhooks/unknown')).status).not.toBe(403); // TARSy answers, not the page to sign in on
    });

    test('signs users in below the sub-path', async () => {
      const page = await get('/');
      expect(page.status).toBe(403);
      expect(await page.text()).toContain(`action="${SUB_PATH}/oauth2/`);
      const cookie = await proxy.login('ana', 'correct horse');
      const answer = await get('/graphql?query={viewer{name}}', { cookie, accept: 'application/json' });
      expect(await answer.json()).toEqual({ data: { viewer: { name: 'ana' } } });
    });
  },
);
