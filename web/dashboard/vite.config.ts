import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const outDir = join(import.meta.dirname, '../../dist/web/dashboard')

/**
 * What most pages use is loaded with the first one, as one file: on a phone, a dozen small files
 * cost more than their bytes.
 */
const common = {
  name: 'common',
  test: /web\/dashboard\/(?:design\/(?!charts|forms\/combobox|overlays\/zag)|http|live|url|keyboard|session|shell|theme)|@tanstack\/virtual-core/,
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  // Source maps of the dashboard itself would double the size of the container image.
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    // An inlined file would need a content security policy that allows `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome120', 'firefox121', 'safari17'],
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: [common] } } },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [orderLayers(), compressFiles()],
  // `npx vite web/dashboard` with a running product.
  server: { proxy: proxyOf(process.env['API_URL'] ?? 'http://127.0.0.1:8031') },
})

/** The routes of the API that the dashboard uses. */
function proxyOf(target: string): Record<string, string> {
  return { '/api': target, '/portal': target, '/docs': target, '/dev/mailbox': target }
}

/**
 * The order of the layers is that of their first mention. Style sheets are loaded in any order, so
 * that each begins with it; otherwise the base could win over the components.
 */
function orderLayers(): Plugin {
  return {
    name: 'order-layers',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'asset' && file.fileName.endsWith('.css')) {
          file.source = `@layer tokens,base,components,areas;${String(file.source)}`
        }
      }
    },
  }
}

/** Writes `.br` and `.gz` beside each file, so that the API serves them without compressing. */
function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    apply: 'build',
    closeBundle() {
      const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' })
      for (const name of names.filter((path) => /\.(?:html|js|css|svg)$/.test(path))) {
        const path = join(outDir, name)
        const bytes = readFileSync(path)
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
