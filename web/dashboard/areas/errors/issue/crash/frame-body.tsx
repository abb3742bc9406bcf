import { shortText } from '../../../../design/text/visible-text.ts'
import type { EventFrame } from '../payload/read-event.ts'
import { ValueTable } from './value-view.tsx'

const lineCharactersMax = 1_000

/** The source around the line of a frame, and its variables. */
export function FrameBody({ frame }: { readonly frame: EventFrame }) {
  const hasFacts = Object.keys(frame.facts).length > 0
  const hasVariables = Object.keys(frame.variables).length > 0
  return (
    <div class="issue-frame-body">
      {frame.source.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls wide code.
        // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls, not lines.
        <div class="issue-source" tabIndex={0} role="group" aria-label="Source">
          <table>
            <tbody>
              {frame.source.map((line, index) => (
                <tr key={index} data-current={line.isCurrent}>
                  <td class="issue-source-number">{line.number}</td>
                  <td class="issue-source-text">
                    {line.isCurrent && <span class="screen-reader">Line of the frame: </span>}
                    <code>{shortText(line.text, lineCharactersMax)}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hasVariables && <ValueTable label="Variables" values={Object.entries(frame.variables)} />}
      {hasFacts && <ValueTable label="About the frame" values={Object.entries(frame.facts)} />}
    </div>
  )
}
