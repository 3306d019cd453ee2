import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { browserSuite, NO_BROWSER } from '../helpers/dashboard.ts';
import { type OidcApp, openVisitor, startOidc } from '../helpers/oidc.ts';
import { signInAt } from '../helpers/openid-provider.ts';

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(NO_BROWSER)(browserSuite('signing in below a sub-path'), () => {
  let app: OidcApp;
  beforeAll(async () => {
    app = await startOidc({ subPath: '/tools/tarsy' });
  });
  afterAll(() => app.stop());

  test('returns to the requested page, and signs out', async () => {
    const visitor = await openVisitor(app);
    const { page, context } = visitor;
    await visitor.signIn('ana', '/alerts?state=FIRING');
    await visitor.isIn();
    expect(page.url()).toBe(`${app.url}/alerts?state=FIRING`);
    const [cookie] = (await context.cookies()).filter(({ name }) => name.startsWith('tarsy'));
    expect(cookie).toMatchObject({ name: 'tarsy.tools.tarsy', path: '/' });

    await page.getByRole('button', { name: 'Display settings' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: /sign me out/i }).click();
    await page.locator('input[name=login]').waitFor();
    expect(await visitor.cookies()).not.toContain('tarsy.tools.tarsy=');
    await signInAt(page, 'vera');
    await visitor.isIn('vera');
    expect(page.url()).toBe(`${app.url}/`);
    await visitor.close();
  });

  test('shows its notices with their style and a way back', async () => {
    const visitor = await openVisitor(app);
    const styled = visitor.page.waitForResponse(`${app.url}/auth/notice.css`);
    await visitor.page.goto(`${app.url}/auth/callback?code=x`);
    expect((await styled).status()).toBe(200);
    await visitor.page.getByRole('link', { name: 'Try again' }).click();
    await visitor.page.locator('input[name=login]').waitFor();
    await visitor.close();
  });
});
