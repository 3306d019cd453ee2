import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import * as documents from './src/graphql/gen/documents.ts';
import * as lazyDocuments from './src/graphql/gen/lazy-documents.ts';

// Address of `npm start`; the development server forwards these paths to it.
const api = 'http://127.0.0.1:8080';

/** Writes a compressed copy of each text at build time, because maximum compression is too slow at server start. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const texts = Object.values(bundle).filter(({ fileName }) => /\.(js|css|html|svg)$/.test(fileName));
    await Promise.all(
      texts.map(async (file) => {
        const packed = await promisify(brotliCompress)(file.type === 'chunk' ? file.code : file.source);
        // A parallel build of the same sources may have emptied the folder; it writes the same files again.
        await writeFile(join(dir, `${file.fileName}.br`), packed).catch(unlessGone);
      }),
    );
  },
};

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Lists the dashboard's GraphQL documents for servers that answer known documents only. */
const documentList: Plugin = {
  name: 'document-list',
  apply: 'build',
  generateBundle() {
    const texts = Object.entries({ ...documents, ...lazyDocuments }).flatMap(([name, text]) =>
      name.endsWith('Document') ? [text] : [],
    );
    this.emitFile({ type: 'asset', fileName: 'documents.json', source: JSON.stringify(texts) });
  },
};

/** Modules of the first page. One bundle of them is a tenth smaller than many. */
const atOnce = new Set<string>();
const firstFile: Plugin = {
  name: 'first-file',
  apply: 'build',
  buildEnd() {
    const add = (id: string): void => {
      // The theme's index imports this module without using it, and the module would pull in the code of text
      // fields.
      if (atOnce.has(id) || id.includes('/enhanceHighContrast.')) return;
      atOnce.add(id);
      for (const next of this.getModuleInfo(id)?.importedIds ?? []) add(next);
    };
    for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry) add(id);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Relative addresses, so that one build works below every path of a proxy.
  base: './',
  plugins: [react(), compressed, documentList, firstFile],
  resolve: {
    alias: {
      // The package's browser build decodes with `innerHTML`, which Trusted Types forbid. This build uses a
      // table.
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
    // Licence texts of the bundled packages, shipped and served beside the bundle.
    license: { fileName: 'licenses.txt' },
    // No data: URLs, so that the Content-Security-Policy needs no exception.
    assetsInlineLimit: 0,
    target: 'es2022',
    // All supported browsers preload modules themselves.
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
