// Packs build/web/dist into build/web/pages.bin, which the linker puts into the program.
//
//   8 bytes   length of the index, little endian
//   index     JSON: [{path, type, etag, immutable, identity, gzip, br}, ...]; the last three are
//             [offset, length] of a body, counted from the end of the index, or null
//   bodies    one after the other
//
// src/api/web_pages.cpp reads it. Bodies are compressed here once, as well as possible, so that the
// server never compresses anything.
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const dist = fileURLToPath(new URL('../../build/web/dist', import.meta.url))
const packed = fileURLToPath(new URL('../../build/web/pages.bin', import.meta.url))

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}
const compressible = new Set(['.html', '.js', '.css', '.svg', '.txt'])

function* files(folder, prefix = '') {
  for (const name of readdirSync(folder).sort()) {
    if (name.startsWith('.')) continue // Vite's manifest
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* files(path, `${prefix}/${name}`)
    else yield [`${prefix}/${name}`, path]
  }
}

const bodies = []
let offset = 0
function add(body) {
  bodies.push(body)
  const place = [offset, body.length]
  offset += body.length
  return place
}

const index = []
for (const [path, file] of files(dist)) {
  const type = types[extname(path)]
  if (!type) throw new Error(`pack: no content type is known for ${path}`)
  const body = readFileSync(file)
  const smaller = (made) => (made.length < body.length * 0.95 ? add(made) : null)
  const may = compressible.has(extname(path))
  index.push({
    path,
    type,
    etag: createHash('sha256').update(body).digest('hex').slice(0, 20),
    immutable: path.startsWith('/assets/'),
    identity: add(body),
    gzip: may ? smaller(gzipSync(body, { level: 9 })) : null,
    br: may
      ? smaller(brotliCompressSync(body, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 11,
            [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
          },
        }))
      : null,
  })
}
const text = Buffer.from(JSON.stringify(index))
const length = Buffer.alloc(8)
length.writeBigUInt64LE(BigInt(text.length))
const whole = Buffer.concat([length, text, ...bodies])
let before = Buffer.alloc(0)
try {
  before = readFileSync(packed)
} catch {
  // There is none yet.
}
if (!whole.equals(before)) { // an untouched file links nothing anew
  writeFileSync(`${packed}.new`, whole)
  renameSync(`${packed}.new`, packed)
}
console.log(`pack: ${index.length} files, ${Math.round(whole.length / 1024)} KiB`)
