import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// Where `npm start` serves the API; the development server hands these paths on to it.
const api = 'http://127.0.0.1:8080';

/** Each text a second time, as small as can be: too slow to be done whenever a server starts. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const texts = Object.values(bundle).filter(({ fileName }) => /\.(js|css|html|svg)$/.test(fileName));
    await Promise.all(
      texts.map(async (file) => {
        const packed = await promisify(brotliCompress)(file.type === 'chunk' ? file.code : file.source);
        // Another build of the same sources may have emptied the folder; it writes the same again.
        await writeFile(join(dir, `${file.fileName}.br`), packed).catch(unlessGone);
      }),
    );
  },
};

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Modules that the first script needs at once; together in one file they are smaller by a tenth than as many. */
const atOnce = new Set<string>();
const firstFile: Plugin = {
  name: 'first-file',
  apply: 'build',
  buildEnd() {
    const add = (id: string): void => {
      // Named by the index of the theme's functions, used by none of ours, and it leads to fields for text.
      if (atOnce.has(id) || id.includes('/enhanceHighContrast.')) return;
      atOnce.add(id);
      for (const next of this.getModuleInfo(id)?.importedIds ?? []) add(next);
    };
    for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry) add(id);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressed, firstFile],
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
    // Every browser that knows the rest preloads modules by itself.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'first', test: (id) => atOnce.has(id) }] } },
    },
  },
  server: {
    proxy: {
      '/graphql': { target: api, ws: true },
      '/health': { target: api },
    },
  },
});
