import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { App } from './app.tsx';
import { ShortcutsProvider } from './components/shortcuts-provider.tsx';
import { createClient } from './graphql/client.ts';
import { createLiveConnection } from './graphql/live-connection.ts';
import { LiveConnectionProvider } from './graphql/live-connection-context.tsx';
import { PrefetchedQueriesProvider } from './graphql/prefetched-queries.ts';
import { createSignIn } from './graphql/sign-in.ts';
import { SignInProvider } from './graphql/sign-in-context.tsx';
import { socketUrl } from './graphql/socket.ts';
import { restoreAddress } from './lib/return-address.ts';
import { Router } from './lib/router.tsx';
import { createServerClock, ServerClockProvider } from './lib/server-clock.ts';
import { pathWithin, SUB_PATH } from './lib/sub-path.ts';
import { prefetchPage } from './prefetch-page.ts';
import { theme } from './theme.ts';

restoreAddress();
const signIn = createSignIn(`${SUB_PATH}/graphql`);
const live = createLiveConnection({
  socketUrl: socketUrl(window.location),
  httpUrl: `${SUB_PATH}/graphql`,
  signIn,
});
const client = createClient(live, signIn);
const prefetched = prefetchPage(client, pathWithin(window.location.pathname), window.location.search);
const clock = createServerClock();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SignInProvider value={signIn}>
      <LiveConnectionProvider value={live}>
        <Provider value={client}>
          <PrefetchedQueriesProvider value={prefetched}>
            <ServerClockProvider value={clock}>
              <ThemeProvider theme={theme} defaultMode="system" noSsr>
                <CssBaseline enableColorScheme />
                <Router>
                  <ShortcutsProvider>
                    <App />
                  </ShortcutsProvider>
                </Router>
              </ThemeProvider>
            </ServerClockProvider>
          </PrefetchedQueriesProvider>
        </Provider>
      </LiveConnectionProvider>
    </SignInProvider>
  </StrictMode>,
);
