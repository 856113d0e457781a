// Writes src/generated/api.ts: the types of the API, from the description that the server itself
// serves. The file is not kept in git, so pages that no longer fit the API do not compile.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import openapi, { astToString } from 'openapi-typescript'

const description = new URL('../../src/api/openapi.json', import.meta.url)
const made = new URL('../src/generated/api.ts', import.meta.url)

const text = '/* Made by tools/generate.mjs. */\n' + astToString(await openapi(description))
mkdirSync(new URL('.', made), { recursive: true })
let before = ''
try {
  before = readFileSync(made, 'utf8')
} catch {
  // There is none yet.
}
if (text !== before) writeFileSync(made, text)
