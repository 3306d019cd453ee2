import { PageHeading } from '../../components/page-heading.tsx';

const LINKS = [
  { to: '/alerts', name: 'Groups' },
  { to: '/alerts/silences', name: 'Silences' },
];

export function AlertsHeading({ title }: { title: string }) {
  return <PageHeading title={title} id="alerts-top" label="Alerts" links={LINKS} />;
}
