import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { App } from './app.tsx';
import { ShortcutsProvider } from './components/shortcuts-provider.tsx';
import { createClient } from './graphql/client.ts';
import { PrefetchedQueriesProvider } from './graphql/prefetched-queries.ts';
import { createSignIn } from './graphql/sign-in.ts';
import { SignInProvider } from './graphql/sign-in-context.tsx';
import { createSocket, socketUrl } from './graphql/socket.ts';
import { SocketProvider } from './graphql/socket-context.tsx';
import { restoreAddress } from './lib/return-address.ts';
import { Router } from './lib/router.tsx';
import { createServerClock, ServerClockProvider } from './lib/server-clock.ts';
import { prefetchPage } from './prefetch-page.ts';
import { theme } from './theme.ts';

restoreAddress();
const signIn = createSignIn('/graphql');
const socket = createSocket(socketUrl(window.location), {
  eager: true,
  onLost: () => void signIn.check(),
});
const client = createClient(socket, signIn);
const prefetched = prefetchPage(client, window.location);
const clock = createServerClock();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SignInProvider value={signIn}>
      <SocketProvider value={socket}>
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
      </SocketProvider>
    </SignInProvider>
  </StrictMode>,
);
