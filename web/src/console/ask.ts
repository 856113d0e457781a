// Asks before something is done that cannot be undone, and for the reason where one is kept.
import { reactive } from 'vue'
import { Problem } from './api'
import { t } from './words'

export interface Question {
  title: string
  /** What will happen, one sentence each. */
  what: readonly string[]
  /** The word on the button. */
  act: string
  danger?: boolean
  /** Asks for a reason, which `run` gets. */
  reason?: boolean
  /** Has the person type this word, for what can never be taken back. */
  type?: string
  run: (reason: string) => Promise<unknown>
}

export const asking = reactive({ open: null as Question | null })
export function ask(question: Question): void {
  asking.open = question
}

interface Notice {
  id: number
  text: string
  bad: boolean
}
export const notices = reactive<Notice[]>([])
let last = 0

export function tell(text: string, bad = false): void {
  const id = ++last
  notices.push({ id, text, bad })
  window.setTimeout(() => dismiss(id), bad ? 12_000 : 4000)
}
export function dismiss(id: number): void {
  const at = notices.findIndex((n) => n.id === id)
  if (at >= 0) notices.splice(at, 1)
}

export function text_of(error: unknown): string {
  if (error instanceof Problem) return error.message
  return t('no_answer')
}

/** Runs an act; says that it is done, or why not. True: done. */
export async function attempt(run: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await run()
    if (done) tell(done)
    return true
  } catch (error) {
    tell(text_of(error), true)
    return false
  }
}
