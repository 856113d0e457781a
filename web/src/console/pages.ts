// A list that comes in pages: the first on load(), the rest when asked for more().
import { reactive } from 'vue'
import { text_of } from './ask'

export interface Page<Item, Cursor> {
  items: Item[]
  next: Cursor | null
}

export function use_pages<Item, Cursor = number>(
  read: (cursor: Cursor | undefined) => Promise<Page<Item, Cursor>>,
) {
  const state = reactive({
    items: [] as unknown[],
    next: null as unknown,
    busy: false,
    error: '',
    loaded: false,
  })
  let asked = 0

  async function fetch_page(cursor: Cursor | undefined): Promise<void> {
    const mine = ++asked
    state.busy = true
    state.error = ''
    try {
      const page = await read(cursor)
      if (mine !== asked) return // a newer question is under way
      state.items = cursor === undefined ? page.items : [...state.items, ...page.items]
      state.next = page.next
      state.loaded = true
    } catch (error) {
      if (mine === asked) state.error = text_of(error)
    } finally {
      if (mine === asked) state.busy = false
    }
  }
  return {
    state: state as { items: Item[]; next: Cursor | null; busy: boolean; error: string; loaded: boolean },
    load: () => fetch_page(undefined),
    more: () => fetch_page(state.next as Cursor),
  }
}
