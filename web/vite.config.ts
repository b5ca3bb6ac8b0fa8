/** The build of the admin UI, and its development server with the API behind one port. */

import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Compressed once here instead of at each start: the service only reads files. */
const packed: Plugin = {
  name: 'packed',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        if (!/\.(?:js|css|svg|json|webmanifest)$/.test(fileName)) continue
        const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source)
        if (bytes.length < 1_000) continue
        const options = {
          params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
        }
        this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(bytes, options) })
        this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(bytes, { level: 9 }) })
      }
    },
  },
}

/** What other components are made of: their styles come first, wherever they are loaded. */
const mantineBase = new Set(
  'ScrollArea UnstyledButton VisuallyHidden Paper Popover CloseButton Group Loader Overlay ModalBase Input InlineInput Flex'.split(
    ' ',
  ),
)

/**
 * Each component of Mantine brings its own styles with it, so a page loads those of what it uses. They stand in layers, so
 * rules of ours win (web/app/tokens.css has the order).
 */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  transform(code, id) {
    const name = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id)?.[1]
    return name === undefined ? null : { code: `import 'mantine-styles:${name}.css'\n${code}`, map: null }
  },
  resolveId: (id) => (id.startsWith('mantine-styles:') ? id : null),
  load(id) {
    const name = /^mantine-styles:(\w+)\.css$/.exec(id)?.[1]
    if (name === undefined) return null
    return `@import '@mantine/core/styles/${name}.css' layer(mantine-${mantineBase.has(name) ? 'base' : 'parts'});`
  },
}

export default defineConfig({
  root: at('.'),
  plugins: [react(), mantineStyles, packed],
  build: {
    outDir: at('../dist/ui'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // nothing inline: the Content-Security-Policy lets only files of ours run
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8780' } },
})
