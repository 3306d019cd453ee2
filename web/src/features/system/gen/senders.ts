// Made by `npm run web:senders` from docs/how-to/alert-sources.
export type SenderPart =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly label: string; readonly text: string };

export interface Sender {
  readonly title: string;
  readonly parts: readonly SenderPart[];
}

/** Pages by type of source. */
export const senders: Readonly<Record<string, Sender>> = {
  "alertmanager": {
    "title": "Prometheus Alertmanager",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the webhooks of Alertmanager. The [tutorial](../../tutorials/alerts-from-alertmanager.md) does all of this step by step.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `ALERTMANAGER_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: alertmanager\n      tokens: [\"{{.ALERTMANAGER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Alertmanager\n\nAdd a receiver and lead alerts to it. `continue: true` leaves them to the receivers after it as well. The first route repeats\nPrometheus' `Watchdog` often enough for a rule with [`canary: true`](../intake/canary.md):"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "alertmanager.yml",
        "text": "route:\n  receiver: default # your own receiver, for what no route takes\n  routes:\n    - receiver: tarsy\n      matchers: ['alertname=\"Watchdog\"']\n      group_by: [alertname]\n      repeat_interval: 5m\n      continue: true\n    - receiver: tarsy\n      continue: true\nreceivers:\n  - name: default\n  - name: tarsy\n    webhook_configs:\n      - url: https://tarsy.example.com/webhooks/prod\n        send_resolved: true\n        http_config:\n          authorization:\n            credentials: <token>"
      },
      {
        "kind": "prose",
        "text": "If Alertmanager runs as several replicas, all of them may send. Repetition changes nothing.\n\n## How TARSy reads it\n\n- **Alert:** the `fingerprint`, else all labels.\n- **Group:** Alertmanager's own group (`groupKey`), unless a rule has `group_by`.\n- **State:** resolved only if Alertmanager says `resolved`. An alert that is missing from a delivery is not resolved, because Alertmanager\n  leaves out silenced alerts.\n- **Severity:** the label `severity`.\n- **Order:** the last report holds. Prometheus may lose Alertmanager for a while, so an alert may fire again with its old start.\n\nIf the receiver has `max_alerts`, the answer notes how many alerts Alertmanager left out.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "grafana": {
    "title": "Grafana Alerting",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the webhooks of Grafana's alert rules, signed or with a token.\n\n## In TARSy\n\nSigned deliveries need Grafana 12. Choose a secret, set it as the variable `GRAFANA_SECRET`, and name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: grafana\n      signature:\n        secrets: [\"{{.GRAFANA_SECRET}}\"]\n        timestamp_header: X-Grafana-Alerting-Timestamp"
      },
      {
        "kind": "prose",
        "text": "An older Grafana sends a token. Use `tokens: [\"{{.GRAFANA_TOKEN}}\"]` in place of `signature`.\n\n## In Grafana\n\n1. *Alerting* → *Contact points* → *Add contact point*: integration *Webhook*, URL `https://tarsy.example.com/webhooks/prod`.\n2. Under *HMAC Signature*: the secret, header `X-Grafana-Alerting-Signature`, timestamp header `X-Grafana-Alerting-Timestamp`.\n3. Leave *Custom Payload* empty, and *Disable resolved message* off.\n4. Name the contact point in a notification policy.\n\nA contact point with a token, as a provisioning file:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "contact-points.yaml",
        "text": "apiVersion: 1\ncontactPoints:\n  - orgId: 1\n    name: tarsy\n    receivers:\n      - uid: tarsy\n        type: webhook\n        settings:\n          url: https://tarsy.example.com/webhooks/prod\n          httpMethod: POST\n          authorization_scheme: Bearer\n          authorization_credentials: <token>"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the `fingerprint`, else all labels.\n- **Group:** the group of the notification policy (`groupKey`), unless a rule has `group_by`.\n- **State:** resolved only if Grafana says `resolved`. An alert that is missing from a delivery is not resolved.\n- **Severity:** the label `severity`.\n- **Order:** the last report holds, because an alert may fire again with its old start.\n\nAgents also get the measured values, and the links to dashboard, panel and silence.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "pagerduty": {
    "title": "PagerDuty",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes PagerDuty's webhooks about incidents. For tools that send to PagerDuty, see [PagerDuty events](pagerduty-events.md).\n\n## In PagerDuty\n\n*Integrations* → *Generic Webhooks (v3)* → *New Webhook*: URL `https://tarsy.example.com/webhooks/prod`, and the services or teams. Choose the\nevents `incident.triggered`, `incident.acknowledged`, `incident.unacknowledged`, `incident.reopened`, `incident.priority_updated` and\n`incident.resolved`.\n\n## In TARSy\n\nPagerDuty shows the secret once. Set it as the variable `PAGERDUTY_SECRET`, and name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: pagerduty\n      signature:\n        secrets: [\"{{.PAGERDUTY_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the incident. Each event about an open incident may be the first news of it.\n- **Group:** each incident alone, unless a rule has `group_by`.\n- **State:** `incident.resolved`, or the status `resolved`, ends it. Other events about an open incident mean that it fires.\n- **Severity:** the priority, else the urgency. A higher priority makes the alert worse.\n- **Order:** the time of the event. An event that arrives late changes nothing.\n\nTARSy accepts other events and changes nothing, because PagerDuty switches off a webhook that refuses.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "pagerduty-events": {
    "title": "PagerDuty events",
    "parts": [
      {
        "kind": "prose",
        "text": "Use this type for any tool that can send to PagerDuty's Events API v2 and whose address for it can be set.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `EVENTS_TOKEN`. The token is the routing key of the tool:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: pagerduty-events\n      tokens: [\"{{.EVENTS_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In the sending tool\n\nSet the address `https://tarsy.example.com/webhooks/prod` in place of `https://events.pagerduty.com/v2/enqueue`. Client libraries may\nappend `/v2/enqueue` to it. Such tools send events like this one:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "command",
        "text": "curl -sS https://tarsy.example.com/webhooks/prod -H 'Content-Type: application/json' -d '{\n  \"routing_key\": \"<token>\", \"event_action\": \"trigger\", \"dedup_key\": \"disk/db-03\",\n  \"payload\": { \"summary\": \"Disk of db-03 is 94 % full\", \"source\": \"db-03\", \"severity\": \"critical\" }\n}'"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the `dedup_key`. An event without one is an alert of its own, and only its exact repetition is the same alert.\n- **Group:** each alert alone, unless a rule has `group_by`.\n- **State:** `trigger` fires and `resolve` ends it. `resolve` needs a `dedup_key`. `acknowledge` changes nothing.\n- **Severity:** `payload.severity`.\n- **Order:** `payload.timestamp`, where the tool sends one.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "opsgenie": {
    "title": "Opsgenie, Jira Service Management",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the webhooks of Opsgenie, and of the alerts in Jira Service Management. For Jira issues, see [Jira](jira.md).\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `OPSGENIE_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: opsgenie\n      tokens: [\"{{.OPSGENIE_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Opsgenie\n\n1. *Settings* → *Integrations* → *Add integration* → *Webhook*: URL `https://tarsy.example.com/webhooks/prod`.\n2. Custom header `Authorization` with the value `Bearer <token>`.\n3. Switch on *Add alert description to payload* and *Add alert details to payload*.\n4. Alert actions: create, acknowledge, unacknowledge, update priority, close and delete.\n\n## How TARSy reads it\n\n- **Alert:** the alias, else the id. A new alert with the alias of a closed one begins a new episode.\n- **Group:** each alert alone, unless a rule has `group_by`.\n- **State:** close and delete end it. Create, acknowledge, unacknowledge and update priority mean that it fires. Other actions change nothing.\n- **Severity:** the priority. P1 is critical, P2 error, P3 warning, P4 and P5 info.\n- **Order:** the time of the update.\n\nDetails and tags become labels.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "datadog": {
    "title": "Datadog",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes notifications of Datadog's monitors.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `DATADOG_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: datadog\n      tokens: [\"{{.DATADOG_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Datadog\n\n1. *Integrations* → *Webhooks* → *New*: name `tarsy`, URL `https://tarsy.example.com/webhooks/prod`. Leave *Encode as form* off.\n2. Add the custom headers:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "custom headers",
        "text": "{ \"Authorization\": \"Bearer <token>\" }"
      },
      {
        "kind": "prose",
        "text": "3. Add the payload. Without one, TARSy reads Datadog's default, which has neither monitor nor priority:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "payload",
        "text": "{\n  \"title\": \"$EVENT_TITLE\",\n  \"severity\": \"$ALERT_PRIORITY\",\n  \"type\": \"$ALERT_TYPE\",\n  \"state\": \"$ALERT_TRANSITION\",\n  \"monitor\": \"$ALERT_ID\",\n  \"scope\": \"$ALERT_SCOPE\",\n  \"episode\": \"$ALERT_CYCLE_KEY\",\n  \"tags\": \"$TAGS\",\n  \"annotations\": { \"message\": \"$EVENT_MSG\", \"query\": \"$ALERT_QUERY\", \"status\": \"$ALERT_STATUS\", \"snapshot\": \"$SNAPSHOT\" },\n  \"starts_at\": \"$DATE\",\n  \"url\": \"$LINK\"\n}"
      },
      {
        "kind": "prose",
        "text": "4. Write `@webhook-tarsy` into the message of each monitor, also for its recovery.\n\n## How TARSy reads it\n\n- **Alert:** the monitor and its scope. Without a monitor, a `fingerprint` in the payload, else organisation, title, scope and host.\n- **Group:** the alerts of one monitor, unless a rule has `group_by`.\n- **State:** the transition: `Recovered` ends it. `No Data` fires, with the label `no_data`.\n- **Severity:** the priority of the monitor, else the type of the alert.\n- **Order:** the time of the notification.\n\nTags become labels. The time of a repeated notification is not taken as the start of the alert.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "cloudwatch": {
    "title": "CloudWatch",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes CloudWatch alarms over SNS. For alarms over EventBridge, see [EventBridge](eventbridge.md).\n\n## In TARSy\n\nName the source with the topics that it may send. The signature of SNS proves only that some AWS account sent the message. The list is\nthe permission:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: cloudwatch\n      topic_arns: [\"arn:aws:sns:eu-west-1:123456789012:alarms\"]"
      },
      {
        "kind": "prose",
        "text": "## In AWS\n\nSubscribe the address to the topic. Name the topic in each alarm for both ways, alarm and OK. As Terraform:"
      },
      {
        "kind": "code",
        "language": "hcl",
        "label": "alarms.tf",
        "text": "resource \"aws_sns_topic_subscription\" \"tarsy\" {\n  topic_arn = aws_sns_topic.alarms.arn\n  protocol  = \"https\"\n  endpoint  = \"https://tarsy.example.com/webhooks/prod\"\n}\n\nresource \"aws_cloudwatch_metric_alarm\" \"example\" {\n  # …\n  alarm_actions = [aws_sns_topic.alarms.arn]\n  ok_actions    = [aws_sns_topic.alarms.arn]\n}"
      },
      {
        "kind": "prose",
        "text": "SNS asks to confirm the subscription. The log of TARSy has the address that you must open, because TARSy never opens it. Leave *Raw message\ndelivery* off.\n\n## How TARSy reads it\n\n- **Alert:** the ARN of the alarm. Each contributor of an alarm is an alert of its own.\n- **Group:** the alarm with its contributors, unless a rule has `group_by`.\n- **State:** `OK` ends it and `ALARM` fires. `INSUFFICIENT_DATA` changes nothing, or fires with `insufficient_data: fire` in the source.\n- **Severity:** the tag `severity` of the alarm. For alarms without it, set a severity in a [rule](../intake/rules.md).\n- **Order:** the time of the state change.\n\nOther tags become labels. TARSy reads other messages of the topic like texts: the subject `[RESOLVED] Disk full` ends the alert of the same\nname. Events of EventBridge that SNS delivers are read as such.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "sentry": {
    "title": "Sentry",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes issue alerts, metric alerts and resolved issues of Sentry. For GlitchTip, see [GlitchTip](glitchtip.md).\n\n## In Sentry\n\n1. *Settings* → *Custom Integrations* → *Create New Integration* → *Internal*: webhook URL `https://tarsy.example.com/webhooks/prod`.\n2. Switch *Alert Rule Action* on. Give the permission *Issue & Event: Read*, and choose the webhook *issue*.\n3. Give each alert rule the action *Send a notification via* this integration.\n\n## In TARSy\n\nSet the client secret of the integration as the variable `SENTRY_CLIENT_SECRET`, and name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: sentry\n      signature:\n        secrets: [\"{{.SENTRY_CLIENT_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the issue, or the metric alert.\n- **Group:** each alert alone, unless a rule has `group_by`.\n- **State:** an issue ends when it is resolved or archived in Sentry, never by itself. A metric alert ends with the action `resolved`.\n- **Severity:** the level of the event, or the action of the metric alert (`critical` or `warning`).\n- **Order:** the time of the event.\n\nAgents also get the stack trace, the request and the last breadcrumbs of the event.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "newrelic": {
    "title": "New Relic",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the webhooks of New Relic's workflows.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `NEWRELIC_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: newrelic\n      tokens: [\"{{.NEWRELIC_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In New Relic\n\n1. *Alerts* → *Destinations* → *Webhook*: endpoint URL `https://tarsy.example.com/webhooks/prod`, authorization *Bearer token*: `<token>`.\n2. *Alerts* → *Workflows* → *Add a workflow*: notify this destination when issues are activated and closed.\n\nKeep the default template. TARSy reads these values of it:"
      },
      {
        "kind": "code",
        "language": "handlebars",
        "label": "payload template",
        "text": "{\n  \"id\": {{ json issueId }},\n  \"issueUrl\": {{ json issuePageUrl }},\n  \"title\": {{ json annotations.title.[0] }},\n  \"priority\": {{ json priority }},\n  \"state\": {{ json state }},\n  \"trigger\": {{ json triggerEvent }},\n  \"impactedEntities\": {{ json entitiesData.names }},\n  \"totalIncidents\": {{ json totalIncidents }},\n  \"createdAt\": {{ createdAt }},\n  \"updatedAt\": {{ updatedAt }},\n  \"sources\": {{ json accumulations.source }},\n  \"alertPolicyNames\": {{ json accumulations.policyName }},\n  \"alertConditionNames\": {{ json accumulations.conditionName }},\n  \"workflowName\": {{ json workflowName }}\n}"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the issue (`id`). The older template with `incident_id` is read, too.\n- **Group:** each issue alone, unless a rule has `group_by`.\n- **State:** `CLOSED` or `RESOLVED` ends it, any other state fires.\n- **Severity:** the `priority`.\n- **Order:** `updatedAt`.\n\nPolicies, conditions, entities and sources become labels.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "gcp-monitoring": {
    "title": "Google Cloud Monitoring",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the webhooks of Google Cloud's alerting policies.\n\n## In TARSy\n\nGoogle Cloud cannot set a header, but sends a user and a password. Set the password as the variable `GCP_PASSWORD`, and name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: gcp-monitoring\n      basic: { username: tarsy, passwords: [\"{{.GCP_PASSWORD}}\"] }"
      },
      {
        "kind": "prose",
        "text": "A token in the address works, too. Use `tokens` with `tokens_in_url: true`, and the address with `?token=<token>`.\n\n## In Google Cloud\n\n*Monitoring* → *Alerting* → *Edit notification channels* → *Webhooks* → *Add new*: the address, *Use HTTP Basic Auth*, user and password.\nAs Terraform:"
      },
      {
        "kind": "code",
        "language": "hcl",
        "label": "channel.tf",
        "text": "resource \"google_monitoring_notification_channel\" \"tarsy\" {\n  display_name = \"TARSy\"\n  type         = \"webhook_basicauth\"\n  labels = {\n    url      = \"https://tarsy.example.com/webhooks/prod\"\n    username = \"tarsy\"\n  }\n  sensitive_labels {\n    password = \"<password>\"\n  }\n}"
      },
      {
        "kind": "prose",
        "text": "Name the channel in the policies.\n\n## How TARSy reads it\n\n- **Alert:** the incident.\n- **Group:** the incidents of one policy on one resource, unless a rule has `group_by`.\n- **State:** `closed` ends it, any other state fires.\n- **Severity:** the severity of the incident, else the user label `severity` of the policy.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "azure-monitor": {
    "title": "Azure Monitor",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes Azure's alerts in the common alert schema. For Azure Event Grid, see [CloudEvents](cloudevents.md).\n\n## In TARSy\n\nAzure cannot set a header, so the token is in the address. Make one with `openssl rand -hex 24`, and set it as the variable `AZURE_TOKEN`.\nName the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: azure-monitor\n      tokens: [\"{{.AZURE_TOKEN}}\"]\n      tokens_in_url: true"
      },
      {
        "kind": "prose",
        "text": "## In Azure\n\nMake an action group with a webhook in the common alert schema:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "command",
        "text": "az monitor action-group create --name tarsy --resource-group <group> \\\n  --action webhook tarsy 'https://tarsy.example.com/webhooks/prod?token=<token>' usecommonalertschema"
      },
      {
        "kind": "prose",
        "text": "Name the action group in the alert rules.\n\n## How TARSy reads it\n\n- **Alert:** the rule with its targets, dimensions, series labels and the id of the alert.\n- **Group:** the alerts of one rule on the same targets, unless a rule of TARSy has `group_by`.\n- **State:** `Resolved` ends it, any other condition fires.\n- **Severity:** `Sev0` is critical, `Sev1` error, `Sev2` warning, `Sev3` and `Sev4` info.\n\nA delivery in another schema is refused with 422.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "zabbix": {
    "title": "Zabbix",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes problems and recoveries of Zabbix (6.0 and later) through a media type.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `ZABBIX_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: zabbix\n      tokens: [\"{{.ZABBIX_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Zabbix\n\n1. *Alerts* → *Media types* → *Import* this file, with your token:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy-media-type.yaml",
        "text": "zabbix_export:\n  version: '6.0'\n  media_types:\n    - name: TARSy\n      type: WEBHOOK\n      parameters:\n        - { name: to, value: 'https://tarsy.example.com/webhooks/prod' }\n        - { name: token, value: '<token>' }\n        - { name: name, value: '{EVENT.NAME}' }\n        - { name: severity, value: '{EVENT.NSEVERITY}' }\n        - { name: value, value: '{EVENT.VALUE}' }\n        - { name: trigger, value: '{TRIGGER.ID}' }\n        - { name: host, value: '{HOST.NAME}' }\n        - { name: ip, value: '{HOST.IP}' }\n        - { name: event, value: '{EVENT.ID}' }\n        - { name: tags, value: '{EVENT.TAGSJSON}' }\n        - { name: opdata, value: '{EVENT.OPDATA}' }\n        - { name: link, value: '{$ZABBIX.URL}/tr_events.php?triggerid={TRIGGER.ID}&eventid={EVENT.ID}' }\n      script: |\n        var p = JSON.parse(value), request = new HttpRequest();\n        request.addHeader('Content-Type: application/json');\n        request.addHeader('Authorization: Bearer ' + p.token);\n        request.post(p.to, JSON.stringify({\n          title: p.name, severity: p.severity, state: p.value, fingerprint: p.trigger + '/' + p.host, episode: p.event,\n          labels: { host: p.host, ip: p.ip, trigger: p.trigger }, tags: p.tags, annotations: { opdata: p.opdata }, url: p.link\n        }));\n        if (request.getStatus() >= 300) throw 'TARSy answered ' + request.getStatus();\n        return 'OK';\n      message_templates:\n        - { event_source: TRIGGERS, operation_mode: PROBLEM, subject: '{EVENT.NAME}', message: '{EVENT.OPDATA}' }\n        - { event_source: TRIGGERS, operation_mode: RECOVERY, subject: '{EVENT.NAME}', message: '{EVENT.OPDATA}' }"
      },
      {
        "kind": "prose",
        "text": "2. Give a user this media. *Send to* may be any text.\n3. Give the trigger actions an operation and a recovery operation that send to this user.\n4. Set the global macro `{$ZABBIX.URL}`, which makes the links.\n\nTARSy also reads other media types that post Zabbix's own parameters (`event_id`, `event_value`, `event_nseverity`, `trigger_id`,\n`host_name` …).\n\n## How TARSy reads it\n\n- **Alert:** each problem of a trigger on a host.\n- **Group:** the problems of one trigger on one host, unless a rule has `group_by`.\n- **State:** the value `0` ends it, `1` fires.\n- **Severity:** 5 is critical, 4 error, 3 and 2 warning, 1 and 0 info.\n\nTags become labels.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "nagios": {
    "title": "Nagios, Icinga, Checkmk",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes notifications as a form, which a command of these systems posts.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `SENDER_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: nagios\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Nagios, and Icinga 1\n\nAdd a command for services. A second command for hosts leaves `service` out, and sends `$HOSTSTATE$` and `$HOSTOUTPUT$`:"
      },
      {
        "kind": "code",
        "language": "cfg",
        "label": "commands.cfg",
        "text": "define command {\n  command_name  notify-tarsy\n  command_line  /usr/bin/curl -fsS https://tarsy.example.com/webhooks/prod -H 'Authorization: Bearer <token>' --data-urlencode 'type=$NOTIFICATIONTYPE$' --data-urlencode 'host=$HOSTNAME$' --data-urlencode 'service=$SERVICEDESC$' --data-urlencode 'state=$SERVICESTATE$' --data-urlencode 'output=$SERVICEOUTPUT$' --data-urlencode 'address=$HOSTADDRESS$' --data-urlencode 'notes_url=$SERVICENOTESURL$' --data-urlencode 'at=$TIMET$'\n}"
      },
      {
        "kind": "prose",
        "text": "## In Icinga 2"
      },
      {
        "kind": "code",
        "language": "icinga2",
        "label": "tarsy.conf",
        "text": "object NotificationCommand \"tarsy-service\" {\n  command = [ \"/usr/bin/curl\", \"-fsS\", \"https://tarsy.example.com/webhooks/prod\", \"-H\", \"Authorization: Bearer <token>\",\n    \"--data-urlencode\", \"type=$notification.type$\", \"--data-urlencode\", \"host=$host.name$\",\n    \"--data-urlencode\", \"service=$service.name$\", \"--data-urlencode\", \"state=$service.state$\",\n    \"--data-urlencode\", \"output=$service.output$\", \"--data-urlencode\", \"address=$host.address$\",\n    \"--data-urlencode\", \"at=$icinga.timet$\" ]\n}"
      },
      {
        "kind": "prose",
        "text": "## In Checkmk\n\nAdd a notification script, and choose it in a notification rule:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "notifications/tarsy",
        "text": "#!/bin/sh\n# TARSy\nexec curl -fsS https://tarsy.example.com/webhooks/prod -H 'Authorization: Bearer <token>' \\\n  --data-urlencode \"type=$NOTIFY_NOTIFICATIONTYPE\" --data-urlencode \"host=$NOTIFY_HOSTNAME\" \\\n  --data-urlencode \"service=$NOTIFY_SERVICEDESC\" --data-urlencode \"state=${NOTIFY_SERVICESTATE:-$NOTIFY_HOSTSTATE}\" \\\n  --data-urlencode \"output=${NOTIFY_SERVICEOUTPUT:-$NOTIFY_HOSTOUTPUT}\" --data-urlencode \"address=$NOTIFY_HOSTADDRESS\" \\\n  --data-urlencode \"at=$NOTIFY_MICROTIME\""
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** a host, or a service on a host.\n- **Group:** each alert alone, unless a rule has `group_by`.\n- **State:** the notification type, else the state: `RECOVERY`, `OK` and `UP` end it. Acknowledgements, flapping and downtimes change nothing.\n- **Severity:** the state. `CRITICAL` and `DOWN` are critical, `UNREACHABLE` is error, `WARNING` and `UNKNOWN` are warning.\n- **Order:** the time `at`.\n\n`notes_url` is the address of the [runbook](../configure/runbooks.md).\n\n## Check it\n\n`npm run intake:try -- <source> delivery.txt` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\nAdd `--header 'content-type: application/x-www-form-urlencoded'`, because the delivery is a form.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "splunk": {
    "title": "Splunk",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the webhooks of Splunk's alerts.\n\n## In TARSy\n\nSplunk cannot set a header, so the token is in the address. Make one with `openssl rand -hex 24`, and set it as the variable `SPLUNK_TOKEN`.\nName the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: splunk\n      tokens: [\"{{.SPLUNK_TOKEN}}\"]\n      tokens_in_url: true"
      },
      {
        "kind": "prose",
        "text": "## In Splunk\n\nAdd the trigger action *Webhook* to the alert, with the URL `https://tarsy.example.com/webhooks/prod?token=<token>`. Trigger it *For each\nresult*.\n\n## How TARSy reads it\n\n- **Alert:** the search and its result. Numbers, times and states in the result do not identify the alert.\n- **Group:** each alert alone, unless a rule has `group_by`.\n- **State:** each alert fires, because Splunk never says that an alert is over. See\n  [alerts without an end](../intake/rules.md#close-alerts-without-an-end).\n- **Severity:** `severity`, `urgency` or `level` of the result.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "kibana": {
    "title": "Elastic, Kibana",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes actions of Kibana's rules, through a webhook connector.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `SENDER_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: kibana\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Kibana\n\n1. *Stack Management* → *Connectors* → *Webhook*: method POST, URL `https://tarsy.example.com/webhooks/prod`.\n2. Header `Authorization` with the value `Bearer <token>`.\n3. Give the rule two actions with this body, one for its own action group and one for *Recovered*:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "body",
        "text": "{\n  \"rule\": \"{{rule.name}}\",\n  \"rule_id\": \"{{rule.id}}\",\n  \"rule_type\": \"{{rule.type}}\",\n  \"alert_id\": \"{{alert.id}}\",\n  \"action_group\": \"{{alert.actionGroup}}\",\n  \"severity\": \"high\",\n  \"reason\": \"{{context.reason}}\",\n  \"tags\": \"{{rule.tags}}\",\n  \"space\": \"{{rule.spaceId}}\",\n  \"url\": \"{{rule.url}}\",\n  \"at\": \"{{date}}\"\n}"
      },
      {
        "kind": "prose",
        "text": "Watcher sends the same body with `ctx` variables.\n\n## How TARSy reads it\n\n- **Alert:** the rule and the id of the alert.\n- **Group:** the alerts of one rule, unless a rule of TARSy has `group_by`.\n- **State:** the action group: `Recovered` ends it. Watcher never says that an alert is over.\n- **Severity:** `severity` of the body, else the action group.\n- **Order:** the time `at`.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "dynatrace": {
    "title": "Dynatrace",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes problem notifications of Dynatrace.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `SENDER_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: dynatrace\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Dynatrace\n\n1. *Settings* → *Integration* → *Problem notifications* → *Custom integration*: URL `https://tarsy.example.com/webhooks/prod`.\n2. Header `Authorization` with the value `Bearer <token>`. Switch *Call webhook if a problem is closed* on.\n3. Add the payload:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "payload",
        "text": "{\n  \"PID\": \"{PID}\",\n  \"ProblemID\": \"{ProblemID}\",\n  \"ProblemTitle\": \"{ProblemTitle}\",\n  \"State\": \"{State}\",\n  \"ProblemSeverity\": \"{ProblemSeverity}\",\n  \"ProblemImpact\": \"{ProblemImpact}\",\n  \"ProblemURL\": \"{ProblemURL}\",\n  \"ImpactedEntity\": \"{ImpactedEntity}\",\n  \"Tags\": \"{Tags}\",\n  \"ProblemDetailsText\": \"{ProblemDetailsText}\"\n}"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the problem (`PID`).\n- **Group:** each problem alone, unless a rule has `group_by`.\n- **State:** `RESOLVED` or `CLOSED` ends it. `MERGED` changes nothing.\n- **Severity:** availability problems are critical, error problems error, and informational ones info. All others are warning.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "uptime-kuma": {
    "title": "Uptime Kuma",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the webhooks of Uptime Kuma's monitors.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `SENDER_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: uptime-kuma\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Uptime Kuma\n\n1. *Settings* → *Notifications* → *Webhook*: Post URL `https://tarsy.example.com/webhooks/prod`.\n2. Request body *Preset - application/json*. Additional headers:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "additional headers",
        "text": "{ \"Authorization\": \"Bearer <token>\" }"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the monitor.\n- **Group:** each monitor alone, unless a rule has `group_by`.\n- **State:** up ends it and down fires. Pending and maintenance change nothing.\n- **Severity:** critical.\n- **Order:** the time of the heartbeat.\n\nA message without a heartbeat, such as about a certificate that expires soon, is an alert of its own.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "healthchecks": {
    "title": "Healthchecks",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the webhooks of Healthchecks, which notices that a scheduled job does not report.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `SENDER_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: healthchecks\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Healthchecks\n\n1. *Integrations* → *Webhook*: method POST and URL `https://tarsy.example.com/webhooks/prod`, for both events.\n2. Request headers for both: `Authorization: Bearer <token>` and `Content-Type: application/json`.\n3. Request body for both:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "body",
        "text": "{\n  \"check\": \"$CODE\",\n  \"name\": \"$NAME\",\n  \"status\": \"$STATUS\",\n  \"tags\": \"$TAGS\",\n  \"at\": \"$NOW\"\n}"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the check.\n- **Group:** each check alone, unless a rule has `group_by`.\n- **State:** `up` ends it, any other status fires.\n- **Severity:** error, unless the body has a `severity`.\n- **Order:** the time `at`.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "graylog": {
    "title": "Graylog",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes Graylog's HTTP notifications about events.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `GRAYLOG_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: graylog\n      tokens: [\"{{.GRAYLOG_TOKEN}}\"]\n      token_header: X-Tarsy-Token"
      },
      {
        "kind": "prose",
        "text": "## In Graylog\n\n1. *Alerts* → *Notifications* → *HTTP Notification*: URL `https://tarsy.example.com/webhooks/prod`.\n2. API key `X-Tarsy-Token` with the secret `<token>`, and *Send API key as header*.\n\n## How TARSy reads it\n\n- **Alert:** the event definition and the keys of the event (its group-by fields). Without keys, the message of the event.\n- **Group:** the events of one definition, unless a rule has `group_by`.\n- **State:** each event fires, because Graylog never says that an event is over. See\n  [alerts without an end](../intake/rules.md#close-alerts-without-an-end).\n- **Severity:** the priority. 4 is critical, 3 error, 2 warning, 1 info.\n- **Order:** the time of the event.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "eventbridge": {
    "title": "Amazon EventBridge",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes CloudWatch alarms and other events from an API destination of EventBridge.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `SENDER_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: eventbridge\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In AWS\n\nMake a connection and an API destination, and a rule that leads events to it. As Terraform:"
      },
      {
        "kind": "code",
        "language": "hcl",
        "label": "events.tf",
        "text": "resource \"aws_cloudwatch_event_connection\" \"tarsy\" {\n  name               = \"tarsy\"\n  authorization_type = \"API_KEY\"\n  auth_parameters {\n    api_key {\n      key   = \"Authorization\"\n      value = \"Bearer <token>\"\n    }\n  }\n}\n\nresource \"aws_cloudwatch_event_api_destination\" \"tarsy\" {\n  name                = \"tarsy\"\n  invocation_endpoint = \"https://tarsy.example.com/webhooks/prod\"\n  http_method         = \"POST\"\n  connection_arn      = aws_cloudwatch_event_connection.tarsy.arn\n}\n\nresource \"aws_cloudwatch_event_rule\" \"alarms\" {\n  name          = \"alarms-to-tarsy\"\n  event_pattern = jsonencode({ \"detail-type\" = [\"CloudWatch Alarm State Change\"] })\n}"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the ARN of the alarm and its contributor, as for [CloudWatch](cloudwatch.md) over SNS. The content identifies other events.\n- **Group:** the alarm with its contributors, unless a rule has `group_by`. Each other event is alone.\n- **State:** `OK` ends an alarm, and `INSUFFICIENT_DATA` changes nothing. Other events fire.\n- **Severity:** read from the content of the event. A [rule](../intake/rules.md) can set it.\n- **Order:** the time of the state change, for alarms.\n\nEvents that SNS delivers to a source of type `cloudwatch` are read in the same way.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "argocd": {
    "title": "Argo CD notifications",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes notifications about the health of Argo CD applications.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `SENDER_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: argocd\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Argo CD\n\nAdd the token to `argocd-notifications-secret`. Add service, template and trigger to `argocd-notifications-cm`:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "argocd-notifications-cm.yaml",
        "text": "data:\n  service.webhook.tarsy: |\n    url: https://tarsy.example.com/webhooks/prod\n    headers:\n      - { name: Content-Type, value: application/json }\n      - { name: Authorization, value: Bearer $tarsy-token } # the key tarsy-token of the secret holds <token>\n  template.tarsy: |\n    webhook:\n      tarsy:\n        method: POST\n        body: |\n          {\n            \"app\": \"{{.app.metadata.name}}\",\n            \"project\": \"{{.app.spec.project}}\",\n            \"namespace\": \"{{.app.spec.destination.namespace}}\",\n            \"cluster\": \"{{.app.spec.destination.name}}\",\n            \"server\": \"{{.app.spec.destination.server}}\",\n            \"health\": \"{{.app.status.health.status}}\",\n            \"sync\": \"{{.app.status.sync.status}}\",\n            \"revision\": \"{{.app.status.sync.revision}}\",\n            \"repository\": \"{{.app.spec.source.repoURL}}\",\n            \"at\": \"{{.app.status.reconciledAt}}\",\n            \"url\": \"{{.context.argocdUrl}}/applications/{{.app.metadata.name}}\"\n          }\n  trigger.on-tarsy: |\n    - { when: app.status.health.status in ['Degraded', 'Missing', 'Healthy'], send: [tarsy], oncePer: app.status.health.status }"
      },
      {
        "kind": "prose",
        "text": "Subscribe the applications with the annotation `notifications.argoproj.io/subscribe.on-tarsy.tarsy: \"\"`.\n\n## How TARSy reads it\n\n- **Alert:** the application on its cluster.\n- **Group:** each application alone, unless a rule has `group_by`.\n- **State:** `Healthy` ends it. `Progressing` and `Suspended` change nothing.\n- **Severity:** the health. `Degraded` and `Missing` are error, `Unknown` is warning. A `severity` in the template takes precedence.\n- **Order:** the time `at`.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "flux": {
    "title": "Flux",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes signed events of Flux's notification controller.\n\n## In TARSy\n\nChoose a secret, set it as the variable `FLUX_SECRET`, and name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: flux\n      signature:\n        secrets: [\"{{.FLUX_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Flux\n\nAdd a provider and an alert:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy-notifications.yaml",
        "text": "apiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Provider\nmetadata: { name: tarsy, namespace: flux-system }\nspec:\n  type: generic-hmac\n  address: https://tarsy.example.com/webhooks/prod\n  secretRef: { name: tarsy } # the secret's key `token` holds the secret\n---\napiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Alert\nmetadata: { name: tarsy, namespace: flux-system }\nspec:\n  providerRef: { name: tarsy }\n  eventSeverity: info # errors, and the successes that end them\n  eventMetadata: { cluster: <cluster> }\n  eventSources:\n    - { kind: Kustomization, name: '*' }\n    - { kind: HelmRelease, name: '*' }"
      },
      {
        "kind": "prose",
        "text": "## How TARSy reads it\n\n- **Alert:** the object, such as a Kustomization or HelmRelease.\n- **Group:** each object alone, unless a rule has `group_by`.\n- **State:** information with a reason such as `ReconciliationSucceeded` ends it. Other information changes nothing, and errors fire.\n- **Severity:** the severity of the event.\n- **Order:** the time of the event.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "github": {
    "title": "GitHub",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes failed workflows, failed deployments and security alerts of GitHub.\n\n## In TARSy\n\nChoose a secret, set it as the variable `GITHUB_WEBHOOK_SECRET`, and name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: github\n      signature:\n        secrets: [\"{{.GITHUB_WEBHOOK_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In GitHub\n\n1. *Settings* → *Webhooks* → *Add webhook*: payload URL `https://tarsy.example.com/webhooks/prod`, content type `application/json`, and the secret.\n2. Choose the events *Workflow runs*, *Deployment statuses*, *Dependabot alerts*, *Code scanning alerts* and *Secret scanning alerts*.\n\n## How TARSy reads it\n\n- **Alert:** a workflow on a branch, an environment, or a security alert. Other events change nothing.\n- **Group:** each alert alone, unless a rule has `group_by`.\n- **State:** success ends a workflow, and success or inactivity ends a deployment. A security alert ends when it is fixed, resolved, dismissed\n  or closed. Runs that wait, are under way, cancelled, skipped, neutral or stale change nothing.\n- **Severity:** error for workflows and deployments. A security alert has its own severity, else error.\n- **Order:** the time of the update.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "jira": {
    "title": "Jira",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes Jira issues, such as incidents. For alerts of Jira Service Management, see [Opsgenie](opsgenie.md).\n\n## In TARSy\n\nChoose a secret, set it as the variable `JIRA_WEBHOOK_SECRET`, and name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: jira\n      signature:\n        secrets: [\"{{.JIRA_WEBHOOK_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In Jira\n\n1. *System* → *WebHooks* → *Create a WebHook*: URL `https://tarsy.example.com/webhooks/prod`, and the secret.\n2. Set a filter such as `project = OPS AND type = Incident`.\n3. Choose the events issue created, updated and deleted.\n\n## How TARSy reads it\n\n- **Alert:** the issue.\n- **Group:** each issue alone, unless a rule has `group_by`.\n- **State:** a status of the category *Done*, or the deletion of the issue, ends it.\n- **Severity:** the priority. *Highest* is critical, *High* error, *Medium* warning, *Low* and *Lowest* info.\n- **Order:** the time of the event.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "glitchtip": {
    "title": "GlitchTip",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes the alerts of GlitchTip in the form that it sends to Slack.\n\n## In TARSy\n\nGlitchTip cannot set a header, so the token is in the address. Make one with `openssl rand -hex 24`, and set it as the variable\n`GLITCHTIP_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: glitchtip\n      tokens: [\"{{.GLITCHTIP_TOKEN}}\"]\n      tokens_in_url: true"
      },
      {
        "kind": "prose",
        "text": "## In GlitchTip\n\n*Project settings* → *Alerts* → *Add alert recipient*: *General (slack-compatible) webhook* with the URL\n`https://tarsy.example.com/webhooks/prod?token=<token>`.\n\n## How TARSy reads it\n\n- **Alert:** the issue, or the monitored site.\n- **Group:** each alert alone, unless a rule has `group_by`.\n- **State:** a site that is back up ends it. GlitchTip never says that an issue is over. See\n  [alerts without an end](../intake/rules.md#close-alerts-without-an-end).\n- **Severity:** error.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "cloudevents": {
    "title": "CloudEvents, Azure Event Grid",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes CloudEvents 1.0 over HTTP: structured and binary events, and batches of at most 100.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `EVENTS_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: cloudevents\n      tokens: [\"{{.EVENTS_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In the sender\n\nSend events with the header `Authorization: Bearer <token>`. A binary event:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "command",
        "text": "curl -sS https://tarsy.example.com/webhooks/prod -H 'Authorization: Bearer <token>' -H 'Content-Type: application/json' \\\n  -H 'ce-specversion: 1.0' -H 'ce-id: 1' -H 'ce-source: /backup' -H 'ce-type: com.example.backup' -H 'ce-subject: db-03' \\\n  -d '{ \"title\": \"Backup of db-03 failed\", \"severity\": \"high\", \"labels\": { \"host\": \"db-03\" } }'"
      },
      {
        "kind": "prose",
        "text": "Azure Event Grid sends CloudEvents when the event subscription has the schema *Cloud Event Schema v1.0*. The endpoint is\n`https://tarsy.example.com/webhooks/prod`, with the delivery property `Authorization`. TARSy answers the handshake with `OPTIONS`.\n\n## How TARSy reads it\n\nThe `data` of an event has the keys of [any JSON](generic.md).\n\n- **Alert:** the `fingerprint` in the data. Without one: source, type, subject and the names in the data.\n- **Group:** the `group` in the data, else each alert alone, unless a rule has `group_by`.\n- **State:** `state` in the data. Without one, the end of the type, as in `com.example.disk.resolved`. Else the title.\n- **Severity:** `severity` in the data, else read from the content.\n- **Order:** the `time` of the event. Each event (source and id) is taken once within a week.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\nA binary event needs its headers, such as `--header 'ce-id: 1'`.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  },
  "generic": {
    "title": "Any JSON, form or text",
    "parts": [
      {
        "kind": "prose",
        "text": "TARSy takes any JSON, forms and plain text with the type `generic`. Use it for a sender without a type of its own.\n\n## In TARSy\n\nMake a token with `openssl rand -hex 24`, and set it as the variable `GENERIC_TOKEN`. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: generic\n      tokens: [\"{{.GENERIC_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "## In the sender\n\nSend JSON with these keys, or a list of such objects. Each of the keys may be missing, and `group` and `episode` are understood too:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "command",
        "text": "curl -sS https://tarsy.example.com/webhooks/prod -H 'Authorization: Bearer <token>' -H 'Content-Type: application/json' -d '{\n  \"title\": \"Backup failed\", \"severity\": \"high\", \"state\": \"firing\", \"fingerprint\": \"backup/db-03\",\n  \"labels\": { \"host\": \"db-03\" }, \"annotations\": { \"text\": \"exit status 1\" },\n  \"starts_at\": \"2026-11-22T10:00:00Z\", \"ends_at\": null, \"url\": \"https://example.com/backup\"\n}'"
      },
      {
        "kind": "prose",
        "text": "## Map JSON of another form\n\nIf you cannot change what the sender sends, map it. A value is one of these:\n\n- a path,\n- a text with paths in braces,\n- a constant,\n- a list of these, where the first with a value counts."
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: generic\n      tokens: [\"{{.GENERIC_TOKEN}}\"]\n      mapping:\n        alerts: $.events[*]\n        title: ['{$.check.name} on {$.check.host}', $.check.host]\n        severity: $.level\n        severities: { '1': critical, '2': error }\n        state: $.status\n        resolved_values: [green, back*]\n        ignored_values: [acknowledged]\n        fingerprint: '{$.check.host}/{$.check.id}'\n        labels: { host: '$.check.host', app: '$.tags[\"k8s.io/app\"]', team: storage }"
      },
      {
        "kind": "prose",
        "text": "Mapped labels replace the short values, and mapped annotations replace the whole body.\n[Configuration](../../configuration.md#intake) lists all keys of `mapping`.\n\n## How TARSy reads it\n\n- **Alert:** the `fingerprint`. Without one, the content: names, ids and texts, but no times, states, severities and measurements.\n- **Group:** the `group`, else each alert alone, unless a rule has `group_by`.\n- **State:** `resolved`, `ok`, `closed` and [similar words](../../reference/intake.md#states) end it. Any other state fires, `0` and\n  `false` too. Without a state, a title such as `[RESOLVED] Disk full` names it.\n- **Severity:** `severity`, else read from the content, as in a text.\n- **Order:** the start of the alert. A mapping may name the time of the report (`reported_at`).\n\nEverything else in the JSON is kept: short values become labels, and agents get the whole body. Without a title, TARSy makes one from the\ncontent. A body in which TARSy can read nothing is refused with 422.\n\n## Check it\n\n`npm run intake:try -- <source> delivery.json` [shows what a delivery becomes](../intake/try-a-delivery.md), without storing it.\nA form or plain text needs its `--header 'content-type: …'`.\n\nThe page *System* counts the deliveries of each source, and the refused ones. The log says why TARSy refused a delivery."
      }
    ]
  }
};
