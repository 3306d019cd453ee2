import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { Provider } from 'urql';
import { App } from './app.tsx';
import { createClient } from './graphql/client.ts';
import { createSocket, socketUrl } from './graphql/socket.ts';
import { SocketProvider } from './graphql/socket-context.tsx';
import { theme } from './theme.ts';

const socket = createSocket(socketUrl(window.location));
const client = createClient(socket);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SocketProvider value={socket}>
      <Provider value={client}>
        <ThemeProvider theme={theme} defaultMode="system" noSsr disableTransitionOnChange>
          <CssBaseline enableColorScheme />
          <BrowserRouter>
            <App />
          </BrowserRouter>
        </ThemeProvider>
      </Provider>
    </SocketProvider>
  </StrictMode>,
);
