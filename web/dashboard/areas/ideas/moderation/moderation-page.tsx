export function ModerationPage() {
  return <p>soon</p>
}
