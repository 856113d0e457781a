// The JavaScript a buyer loads, gzipped: the first view and everything. Fails when it is too much.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const first_view_max = 60_000
const all_max = 100_000

const dist = fileURLToPath(new URL('../../build/web/dist/', import.meta.url))
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, 'utf8'))
const bytes = (file) => gzipSync(readFileSync(dist + file), { level: 9 }).length

function reach(start, dynamic) {
  const seen = new Set()
  const todo = [...start]
  while (todo.length > 0) {
    const key = todo.pop()
    if (seen.has(key)) continue
    seen.add(key)
    const chunk = manifest[key]
    todo.push(...(chunk.imports ?? []), ...(dynamic ? (chunk.dynamicImports ?? []) : []))
  }
  return [...seen].map((key) => manifest[key].file)
}
const sum = (list) => list.reduce((total, file) => total + bytes(file), 0)

// The first view is the shell, and the page that it loads at once.
const first = sum(reach(['index.html', 'src/storefront/pages/Home.vue'], false))
const all = sum(reach(['index.html'], true))
let failed = 0
for (const [what, size, most] of [['first view', first, first_view_max], ['in all', all, all_max]]) {
  const good = size <= most
  failed += good ? 0 : 1
  console.log(`${good ? 'ok' : 'FAILED'}: storefront JavaScript, ${what}: ${size} of ${most} bytes gzipped`)
}
process.exit(failed ? 1 : 0)
