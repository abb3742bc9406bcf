/** Light, dark, or as the system has it. The choice is stored in this browser. */
import { effect, signal } from '@preact/signals'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'sluice.theme'

export const theme = signal<Theme>(stored())

const systemDark = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = signal(systemDark.matches)
systemDark.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches
})

effect(() => {
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light'
})

export function setTheme(next: Theme): void {
  theme.value = next
  try {
    localStorage.setItem(key, next)
  } catch {
    // Storage may be switched off; then the choice lasts until the tab is closed.
  }
}

/** What the browser shows now. */
export function isDark(): boolean {
  if (theme.value !== 'system') return theme.value === 'dark'
  return isSystemDark.value
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(key)
    return themes.find((name) => name === value) ?? 'system'
  } catch {
    return 'system'
  }
}
