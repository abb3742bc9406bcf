import { Kbd } from '../design/content/badge.tsx'
import { Facts } from '../design/content/data-table.tsx'
import { Dialog } from '../design/overlays/dialog.tsx'
import { shortcuts } from '../keyboard/shortcuts.ts'

/** The shortcuts that work on this page. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const groups = new Map<string, Map<string, string>>()
  for (const { keys, label, group = 'This page' } of shortcuts.value) {
    const entries = groups.get(group) ?? new Map<string, string>()
    groups.set(group, entries.set(keys, label))
  }
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="stack">
        {[...groups].reverse().map(([group, entries]) => (
          <section key={group} class="stack">
            <h3>{group}</h3>
            <Facts
              facts={[...entries].map(([keys, label]) => ({
                name: label,
                value: <Kbd keys={keys} />,
              }))}
            />
          </section>
        ))}
      </div>
    </Dialog>
  )
}
