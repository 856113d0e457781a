// Texts in Chinese and English, without a library: a table of messages is a TypeScript object, so a
// missing text or a wrong placeholder does not compile. See docs/adr/0028.
import { computed, readonly, ref } from 'vue'
import { forget, recall, remember } from './storage'

export type Language = 'zh' | 'en'
type Values = Record<string, string | number>

const chosen = ref<Language>(first())

function first(): Language {
  const kept = recall('language')
  if (kept === 'zh' || kept === 'en') return kept
  const asked = typeof navigator === 'undefined' ? 'zh' : navigator.language
  return asked.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export const language = readonly(chosen)

export function chooseLanguage(to: Language): void {
  chosen.value = to
  remember('language', to)
}

export function followBrowserLanguage(): void {
  forget('language')
  chosen.value = first()
}

/** The value of the lang attribute, and of Accept-Language. */
export const locale = computed(() => (chosen.value === 'zh' ? 'zh-CN' : 'en'))

/** "Pay within {time}" with {time: '5:00'}; an unknown placeholder stays as it is. */
export function fill(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? String(values[name]) : whole,
  )
}

/** A translator over a table with both languages: t('buy'), t('pay_within', {time: '5:00'}). */
export function messages<Zh extends Record<string, string>>(table: {
  zh: Zh
  en: Record<keyof Zh, string>
}): (key: keyof Zh, values?: Values) => string {
  return (key, values) => fill(table[chosen.value][key], values)
}
