// Texts of the console. Each key has its Chinese and its English text side by side, so none can be
// missing; a key that does not exist does not compile.
import { fill, language as chosen } from '@shared/i18n'
import { accounts } from './words/accounts'
import { common } from './words/common'
import { desk } from './words/desk'
import { operations } from './words/operations'
import { staff } from './words/staff'

const table = { ...common, ...desk, ...operations, ...staff, ...accounts }
export type Word = keyof typeof table
export const language = chosen

export function t(key: Word, values: Record<string, string | number> = {}): string {
  return fill(table[key][chosen.value === 'zh' ? 0 : 1], values)
}

/** The text for a word of the API such as `sold_out`; the word itself when there is none. */
export function word(kind: string, value: string): string {
  const key = `${kind}_${value}`
  return key in table ? t(key as Word) : value.replaceAll('_', ' ')
}
