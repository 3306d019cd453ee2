import { CacheProvider } from '@emotion/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { Provider } from 'urql';
import { App } from './app.tsx';
import { beginReads } from './begin-reads.ts';
import { ShortcutsProvider } from './components/shortcuts-provider.tsx';
import { createClient } from './graphql/client.ts';
import { FirstReadsProvider } from './graphql/first-reads.ts';
import { createSocket, socketUrl } from './graphql/socket.ts';
import { SocketProvider } from './graphql/socket-context.tsx';
import { createServerClock, ServerClockProvider } from './lib/server-clock.ts';
import { createStyleCache } from './styles.ts';
import { theme } from './theme.ts';

const socket = createSocket(socketUrl(window.location), { eager: true });
const client = createClient(socket);
const firstReads = beginReads(client, window.location);
const clock = createServerClock();
const styles = createStyleCache();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SocketProvider value={socket}>
      <Provider value={client}>
        <FirstReadsProvider value={firstReads}>
          <ServerClockProvider value={clock}>
            <CacheProvider value={styles}>
              <ThemeProvider theme={theme} defaultMode="system" noSsr disableTransitionOnChange>
                <CssBaseline enableColorScheme />
                <BrowserRouter>
                  <ShortcutsProvider>
                    <App />
                  </ShortcutsProvider>
                </BrowserRouter>
              </ThemeProvider>
            </CacheProvider>
          </ServerClockProvider>
        </FirstReadsProvider>
      </Provider>
    </SocketProvider>
  </StrictMode>,
);
