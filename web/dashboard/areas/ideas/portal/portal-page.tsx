export function PortalPage() {
  return <p>soon</p>
}
