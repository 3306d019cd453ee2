import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Where `npm start` serves the API; the development server hands these paths on to it.
const api = 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: {
    alias: {
      // Its build for browsers decodes by `innerHTML`, which Trusted Types refuse; this one has a table.
      'decode-named-character-reference': join(
        import.meta.dirname,
        '../node_modules/decode-named-character-reference/index.js',
      ),
    },
  },
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    emptyOutDir: true,
    // No data: URLs, so that the Content-Security-Policy needs no exception for them.
    assetsInlineLimit: 0,
    target: 'es2022',
  },
  server: {
    proxy: {
      '/graphql': { target: api, ws: true },
      '/health': { target: api },
    },
  },
});
