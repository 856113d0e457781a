// localStorage that may be full, forbidden or absent: then the page only forgets.
const prefix = 'floodgate.'

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name)
  } catch {
    return null
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value)
  } catch {
    // Private windows refuse it.
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(prefix + name)
  } catch {
    // As above.
  }
}

/** Calls back when another tab changes the value. */
export function onOtherTab(name: string, act: (value: string | null) => void): void {
  window.addEventListener('storage', (event) => {
    if (event.key === prefix + name || event.key === null) act(event.key === null ? null : event.newValue)
  })
}
