const toastMs = 5_000

let toastTimer

/** Shows a short message for `toastMs`. */
export function toast(text) {
  const shown = document.getElementById('toast')
  shown.textContent = text
  if (window.parent !== window) {
    // In a frame as tall as its content, the message is shown near the focused element.
    const at = document.activeElement?.getBoundingClientRect().bottom ?? 0
    shown.style.inset = `${at + 8}px 1rem auto`
  }
  clearTimeout(toastTimer)
  toastTimer = setTimeout(() => {
    shown.textContent = ''
  }, toastMs)
}
