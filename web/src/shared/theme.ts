// Light, dark, or as the machine says.
import { readonly, ref } from 'vue'
import { forget, recall, remember } from './storage'

export type Theme = 'light' | 'dark' | 'auto'
const kept = recall('theme')
const chosen = ref<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto')
export const theme = readonly(chosen)

export function applyTheme(): void {
  if (chosen.value === 'auto') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen.value
}

export function chooseTheme(to: Theme): void {
  chosen.value = to
  if (to === 'auto') forget('theme')
  else remember('theme', to)
  applyTheme()
}
