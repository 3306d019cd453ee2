// Made by `npm run web:senders` from docs/intake.md.
export type SenderPart =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly label: string; readonly text: string };

export interface Sender {
  readonly title: string;
  readonly parts: readonly SenderPart[];
}

/** Sections by type of source. */
export const senders: Readonly<Record<string, Sender>> = {
  "alertmanager": {
    "title": "Prometheus Alertmanager",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Make a token, and name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: alertmanager\n      tokens: [\"{{.ALERTMANAGER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Give Alertmanager a receiver, and lead alerts to it; `continue: true` leaves them to the receivers after it as well. The first route\n   repeats Prometheus' `Watchdog` often enough for a rule with [`canary: true`](#canary-and-watchdog):"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "alertmanager.yml",
        "text": "route:\n  routes:\n    - receiver: tarsy\n      matchers: ['alertname=\"Watchdog\"']\n      group_by: [alertname]\n      repeat_interval: 5m\n      continue: true\n    - receiver: tarsy\n      continue: true\nreceivers:\n  - name: tarsy\n    webhook_configs:\n      - url: https://tarsy.example.com/webhooks/prod\n        send_resolved: true\n        http_config:\n          authorization:\n            credentials: <token>"
      },
      {
        "kind": "prose",
        "text": "Its groups are ours (`groupKey`). An alert that is missing from a delivery is not taken for resolved: Alertmanager leaves out what is\nsilenced. Where it runs as several, all of them may send: what comes twice changes nothing."
      }
    ]
  },
  "grafana": {
    "title": "Grafana Alerting",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source. Signed deliveries need Grafana 12; before, a token does (`tokens`), as in the file below:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: grafana\n      signature:\n        secrets: [\"{{.GRAFANA_SECRET}}\"]\n        timestamp_header: X-Grafana-Alerting-Timestamp"
      },
      {
        "kind": "prose",
        "text": "2. Alerting, Contact points, Add contact point: integration *Webhook*, URL `https://tarsy.example.com/webhooks/prod`. Under\n   *HMAC Signature*: the secret, header `X-Grafana-Alerting-Signature`, timestamp header `X-Grafana-Alerting-Timestamp`.\n3. Name it in a notification policy. Leave *Custom Payload* empty, and *Disable resolved message* off.\n\nA contact point with a token, as a provisioning file:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "contact-points.yaml",
        "text": "apiVersion: 1\ncontactPoints:\n  - orgId: 1\n    name: tarsy\n    receivers:\n      - uid: tarsy\n        type: webhook\n        settings:\n          url: https://tarsy.example.com/webhooks/prod\n          httpMethod: POST\n          authorization_scheme: Bearer\n          authorization_credentials: <token>"
      }
    ]
  },
  "pagerduty": {
    "title": "PagerDuty",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Integrations, Generic Webhooks (v3), New Webhook: URL `https://tarsy.example.com/webhooks/prod`, the services or teams, and the\n   events `incident.triggered`, `incident.acknowledged`, `incident.unacknowledged`, `incident.reopened`, `incident.priority_updated`\n   and `incident.resolved`.\n2. The secret that PagerDuty shows once goes into the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: pagerduty\n      signature:\n        secrets: [\"{{.PAGERDUTY_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "An incident is one alert. Each event about an open incident may be the first news of it, and a higher priority makes the alert worse. Other\nevents are taken and change nothing: PagerDuty switches a webhook off that refuses."
      }
    ]
  },
  "pagerduty-events": {
    "title": "What pages PagerDuty",
    "parts": [
      {
        "kind": "prose",
        "text": "For any tool whose address for PagerDuty's Events API v2 can be set: a token of the source is its routing key."
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: pagerduty-events\n      tokens: [\"{{.EVENTS_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "The address takes the place of `https://events.pagerduty.com/v2/enqueue`. An event, as such tools send it:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "command",
        "text": "curl -sS https://tarsy.example.com/webhooks/prod -H 'Content-Type: application/json' -d '{\n  \"routing_key\": \"<token>\", \"event_action\": \"trigger\", \"dedup_key\": \"disk/db-03\",\n  \"payload\": { \"summary\": \"Disk of db-03 is 94 % full\", \"source\": \"db-03\", \"severity\": \"critical\" }\n}'"
      }
    ]
  },
  "opsgenie": {
    "title": "Opsgenie, Jira Service Management",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: opsgenie\n      tokens: [\"{{.OPSGENIE_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Settings, Integrations, Add integration, *Webhook*: URL `https://tarsy.example.com/webhooks/prod`, custom header `Authorization`\n   with the value `Bearer <token>`.\n3. *Add alert description to payload* and *Add alert details to payload* on. Alert actions: create, acknowledge,\n   unacknowledge, update priority, close and delete.\n\nAn alert is known by its alias."
      }
    ]
  },
  "datadog": {
    "title": "Datadog",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: datadog\n      tokens: [\"{{.DATADOG_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Integrations, Webhooks, New: name `tarsy`, URL `https://tarsy.example.com/webhooks/prod`, *Encode as form* off. Custom headers:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "custom headers",
        "text": "{ \"Authorization\": \"Bearer <token>\" }"
      },
      {
        "kind": "prose",
        "text": "3. Payload (without one, Datadog's default is read, which has neither monitor nor priority):"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "payload",
        "text": "{\n  \"title\": \"$EVENT_TITLE\",\n  \"severity\": \"$ALERT_PRIORITY\",\n  \"type\": \"$ALERT_TYPE\",\n  \"state\": \"$ALERT_TRANSITION\",\n  \"monitor\": \"$ALERT_ID\",\n  \"scope\": \"$ALERT_SCOPE\",\n  \"episode\": \"$ALERT_CYCLE_KEY\",\n  \"tags\": \"$TAGS\",\n  \"annotations\": { \"message\": \"$EVENT_MSG\", \"query\": \"$ALERT_QUERY\", \"status\": \"$ALERT_STATUS\", \"snapshot\": \"$SNAPSHOT\" },\n  \"starts_at\": \"$DATE\",\n  \"url\": \"$LINK\"\n}"
      },
      {
        "kind": "prose",
        "text": "4. `@webhook-tarsy` in the message of each monitor, also for its recovery."
      }
    ]
  },
  "cloudwatch": {
    "title": "CloudWatch",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source with the topics that it may send. The signature of SNS proves only that some account sent it, the list is the permission:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: cloudwatch\n      topic_arns: [\"arn:aws:sns:eu-west-1:123456789012:alarms\"]"
      },
      {
        "kind": "prose",
        "text": "2. Subscribe the address to the topic, and name the topic in each alarm for both ways. As Terraform:"
      },
      {
        "kind": "code",
        "language": "hcl",
        "label": "alarms.tf",
        "text": "resource \"aws_sns_topic_subscription\" \"tarsy\" {\n  topic_arn = aws_sns_topic.alarms.arn\n  protocol  = \"https\"\n  endpoint  = \"https://tarsy.example.com/webhooks/prod\"\n}\n\nresource \"aws_cloudwatch_metric_alarm\" \"example\" {\n  # …\n  alarm_actions = [aws_sns_topic.alarms.arn]\n  ok_actions    = [aws_sns_topic.alarms.arn]\n}"
      },
      {
        "kind": "prose",
        "text": "3. SNS asks to confirm the subscription: the address to open stands in the log, TARSy never opens it. *Raw message delivery* stays off.\n\nThe tag `severity` of an alarm is its severity, and other tags are labels; a rule gives a severity to alarms without the tag. Each\ncontributor of an alarm is an alert of its own. Other messages of the topic are read like texts: a subject such as `[RESOLVED] Disk full`\nends the alert of the same name. `insufficient_data: fire` makes missing data an alert."
      }
    ]
  },
  "sentry": {
    "title": "Sentry",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Settings, Custom Integrations, Create New Integration, *Internal*: webhook URL `https://tarsy.example.com/webhooks/prod`, *Alert Rule\n   Action* on, permission *Issue & Event: Read*, webhook *issue*.\n2. Its client secret goes into the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: sentry\n      signature:\n        secrets: [\"{{.SENTRY_CLIENT_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "3. Alert rules: the action *Send a notification via* this integration.\n\nAn issue that is resolved in Sentry ends what its alerts began; alerts on issues never end by themselves."
      }
    ]
  },
  "newrelic": {
    "title": "New Relic",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: newrelic\n      tokens: [\"{{.NEWRELIC_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Alerts, Destinations, Webhook: endpoint URL `https://tarsy.example.com/webhooks/prod`, authorization *Bearer token*: `<token>`.\n3. Alerts, Workflows, Add a workflow: notify this destination when issues are activated and closed. The default template does; this is\n   what is read of it:"
      },
      {
        "kind": "code",
        "language": "handlebars",
        "label": "payload template",
        "text": "{\n  \"id\": {{ json issueId }},\n  \"issueUrl\": {{ json issuePageUrl }},\n  \"title\": {{ json annotations.title.[0] }},\n  \"priority\": {{ json priority }},\n  \"state\": {{ json state }},\n  \"trigger\": {{ json triggerEvent }},\n  \"impactedEntities\": {{ json entitiesData.names }},\n  \"totalIncidents\": {{ json totalIncidents }},\n  \"createdAt\": {{ createdAt }},\n  \"updatedAt\": {{ updatedAt }},\n  \"sources\": {{ json accumulations.source }},\n  \"alertPolicyNames\": {{ json accumulations.policyName }},\n  \"alertConditionNames\": {{ json accumulations.conditionName }},\n  \"workflowName\": {{ json workflowName }}\n}"
      }
    ]
  },
  "gcp-monitoring": {
    "title": "Google Cloud Monitoring",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source. Google Cloud can set no header, but a user and a password:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: gcp-monitoring\n      basic: { username: tarsy, passwords: [\"{{.GCP_PASSWORD}}\"] }"
      },
      {
        "kind": "prose",
        "text": "2. Monitoring, Alerting, Edit notification channels, Webhooks, Add new: the address, *Use HTTP Basic Auth*, user and password. As Terraform:"
      },
      {
        "kind": "code",
        "language": "hcl",
        "label": "channel.tf",
        "text": "resource \"google_monitoring_notification_channel\" \"tarsy\" {\n  display_name = \"TARSy\"\n  type         = \"webhook_basicauth\"\n  labels = {\n    url      = \"https://tarsy.example.com/webhooks/prod\"\n    username = \"tarsy\"\n  }\n  sensitive_labels {\n    password = \"<password>\"\n  }\n}"
      },
      {
        "kind": "prose",
        "text": "3. Name the channel in the policies. A user label `severity` of a policy is the severity where Google Cloud sets none.\n\nThe incidents of one policy on one resource are one group. A token in the address works, too: `tokens` and `tokens_in_url: true`, `?token=<token>`."
      }
    ]
  },
  "azure-monitor": {
    "title": "Azure Monitor",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source. Azure can set no header, so that the token is in the address:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: azure-monitor\n      tokens: [\"{{.AZURE_TOKEN}}\"]\n      tokens_in_url: true"
      },
      {
        "kind": "prose",
        "text": "2. Make an action group with a webhook in the common alert schema, and name the group in the alert rules:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "command",
        "text": "az monitor action-group create --name tarsy --resource-group <group> \\\n  --action webhook tarsy 'https://tarsy.example.com/webhooks/prod?token=<token>' usecommonalertschema"
      }
    ]
  },
  "zabbix": {
    "title": "Zabbix",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: zabbix\n      tokens: [\"{{.ZABBIX_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Alerts, Media types, Import (Zabbix 6.0 and later) this file, with your token:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy-media-type.yaml",
        "text": "zabbix_export:\n  version: '6.0'\n  media_types:\n    - name: TARSy\n      type: WEBHOOK\n      parameters:\n        - { name: to, value: 'https://tarsy.example.com/webhooks/prod' }\n        - { name: token, value: '<token>' }\n        - { name: name, value: '{EVENT.NAME}' }\n        - { name: severity, value: '{EVENT.NSEVERITY}' }\n        - { name: value, value: '{EVENT.VALUE}' }\n        - { name: trigger, value: '{TRIGGER.ID}' }\n        - { name: host, value: '{HOST.NAME}' }\n        - { name: ip, value: '{HOST.IP}' }\n        - { name: event, value: '{EVENT.ID}' }\n        - { name: tags, value: '{EVENT.TAGSJSON}' }\n        - { name: opdata, value: '{EVENT.OPDATA}' }\n        - { name: link, value: '{$ZABBIX.URL}/tr_events.php?triggerid={TRIGGER.ID}&eventid={EVENT.ID}' }\n      script: |\n        var p = JSON.parse(value), request = new HttpRequest();\n        request.addHeader('Content-Type: application/json');\n        request.addHeader('Authorization: Bearer ' + p.token);\n        request.post(p.to, JSON.stringify({\n          title: p.name, severity: p.severity, state: p.value, fingerprint: p.trigger + '/' + p.host, episode: p.event,\n          labels: { host: p.host, ip: p.ip, trigger: p.trigger }, tags: p.tags, annotations: { opdata: p.opdata }, url: p.link\n        }));\n        if (request.getStatus() >= 300) throw 'TARSy answered ' + request.getStatus();\n        return 'OK';\n      message_templates:\n        - { event_source: TRIGGERS, operation_mode: PROBLEM, subject: '{EVENT.NAME}', message: '{EVENT.OPDATA}' }\n        - { event_source: TRIGGERS, operation_mode: RECOVERY, subject: '{EVENT.NAME}', message: '{EVENT.OPDATA}' }"
      },
      {
        "kind": "prose",
        "text": "3. Give a user this media (any text as *Send to*), and trigger actions with an operation and a recovery operation that send to that user.\n   The global macro `{$ZABBIX.URL}` makes the links.\n\nAnother media type that posts Zabbix's own parameters (`event_id`, `event_value`, `event_nseverity`, `trigger_id`, `host_name` …) is read,\ntoo. Each problem of a trigger is an alert."
      }
    ]
  },
  "nagios": {
    "title": "Nagios, Icinga, Checkmk",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: nagios\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Send notifications as a form. Nagios, and Icinga 1:"
      },
      {
        "kind": "code",
        "language": "cfg",
        "label": "commands.cfg",
        "text": "define command {\n  command_name  notify-tarsy\n  command_line  /usr/bin/curl -fsS https://tarsy.example.com/webhooks/prod -H 'Authorization: Bearer <token>' --data-urlencode 'type=$NOTIFICATIONTYPE$' --data-urlencode 'host=$HOSTNAME$' --data-urlencode 'service=$SERVICEDESC$' --data-urlencode 'state=$SERVICESTATE$' --data-urlencode 'output=$SERVICEOUTPUT$' --data-urlencode 'address=$HOSTADDRESS$' --data-urlencode 'notes_url=$SERVICENOTESURL$' --data-urlencode 'at=$TIMET$'\n}"
      },
      {
        "kind": "prose",
        "text": "A second command for hosts leaves `service` out and sends `$HOSTSTATE$` and `$HOSTOUTPUT$`.\n\n3. Icinga 2:"
      },
      {
        "kind": "code",
        "language": "icinga2",
        "label": "tarsy.conf",
        "text": "object NotificationCommand \"tarsy-service\" {\n  command = [ \"/usr/bin/curl\", \"-fsS\", \"https://tarsy.example.com/webhooks/prod\", \"-H\", \"Authorization: Bearer <token>\",\n    \"--data-urlencode\", \"type=$notification.type$\", \"--data-urlencode\", \"host=$host.name$\",\n    \"--data-urlencode\", \"service=$service.name$\", \"--data-urlencode\", \"state=$service.state$\",\n    \"--data-urlencode\", \"output=$service.output$\", \"--data-urlencode\", \"address=$host.address$\",\n    \"--data-urlencode\", \"at=$icinga.timet$\" ]\n}"
      },
      {
        "kind": "prose",
        "text": "4. Checkmk: a notification script, chosen in a notification rule:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "notifications/tarsy",
        "text": "#!/bin/sh\n# TARSy\nexec curl -fsS https://tarsy.example.com/webhooks/prod -H 'Authorization: Bearer <token>' \\\n  --data-urlencode \"type=$NOTIFY_NOTIFICATIONTYPE\" --data-urlencode \"host=$NOTIFY_HOSTNAME\" \\\n  --data-urlencode \"service=$NOTIFY_SERVICEDESC\" --data-urlencode \"state=${NOTIFY_SERVICESTATE:-$NOTIFY_HOSTSTATE}\" \\\n  --data-urlencode \"output=${NOTIFY_SERVICEOUTPUT:-$NOTIFY_HOSTOUTPUT}\" --data-urlencode \"address=$NOTIFY_HOSTADDRESS\" \\\n  --data-urlencode \"at=$NOTIFY_MICROTIME\""
      },
      {
        "kind": "prose",
        "text": "A host, or a service on a host, is one alert. Acknowledgements, flapping and downtimes change nothing."
      }
    ]
  },
  "splunk": {
    "title": "Splunk",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source. Splunk can set no header, so the token is in the address:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: splunk\n      tokens: [\"{{.SPLUNK_TOKEN}}\"]\n      tokens_in_url: true"
      },
      {
        "kind": "prose",
        "text": "2. Add the trigger action *Webhook* to the alert, with the URL `https://tarsy.example.com/webhooks/prod?token=<token>`, and trigger it *For each result*.\n\nSearch and result identify an alert; numbers, times and states in the result do not. Splunk never tells that an alert is over."
      }
    ]
  },
  "kibana": {
    "title": "Elastic, Kibana",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: kibana\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Stack Management, Connectors, *Webhook*: method POST, URL `https://tarsy.example.com/webhooks/prod`, header `Authorization` with the value `Bearer <token>`.\n3. Give the rule two actions with this body, one for its own action group and one for *Recovered*:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "body",
        "text": "{\n  \"rule\": \"{{rule.name}}\",\n  \"rule_id\": \"{{rule.id}}\",\n  \"rule_type\": \"{{rule.type}}\",\n  \"alert_id\": \"{{alert.id}}\",\n  \"action_group\": \"{{alert.actionGroup}}\",\n  \"severity\": \"high\",\n  \"reason\": \"{{context.reason}}\",\n  \"tags\": \"{{rule.tags}}\",\n  \"space\": \"{{rule.spaceId}}\",\n  \"url\": \"{{rule.url}}\",\n  \"at\": \"{{date}}\"\n}"
      },
      {
        "kind": "prose",
        "text": "The alerts of a rule are one group. Watcher sends the same body with `ctx` variables, and never tells that an alert is over."
      }
    ]
  },
  "dynatrace": {
    "title": "Dynatrace",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: dynatrace\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Settings, Integration, Problem notifications, *Custom integration*: URL `https://tarsy.example.com/webhooks/prod`, header `Authorization` with the\n   value `Bearer <token>`, and *Call webhook if a problem is closed* on.\n3. Payload:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "payload",
        "text": "{\n  \"PID\": \"{PID}\",\n  \"ProblemID\": \"{ProblemID}\",\n  \"ProblemTitle\": \"{ProblemTitle}\",\n  \"State\": \"{State}\",\n  \"ProblemSeverity\": \"{ProblemSeverity}\",\n  \"ProblemImpact\": \"{ProblemImpact}\",\n  \"ProblemURL\": \"{ProblemURL}\",\n  \"ImpactedEntity\": \"{ImpactedEntity}\",\n  \"Tags\": \"{Tags}\",\n  \"ProblemDetailsText\": \"{ProblemDetailsText}\"\n}"
      }
    ]
  },
  "uptime-kuma": {
    "title": "Uptime Kuma",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: uptime-kuma\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Settings, Notifications, *Webhook*: Post URL `https://tarsy.example.com/webhooks/prod`, request body *Preset - application/json*, additional headers:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "additional headers",
        "text": "{ \"Authorization\": \"Bearer <token>\" }"
      },
      {
        "kind": "prose",
        "text": "A monitor is one alert. Pending and maintenance change nothing."
      }
    ]
  },
  "healthchecks": {
    "title": "Healthchecks",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: healthchecks\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Integrations, *Webhook*: method POST and URL `https://tarsy.example.com/webhooks/prod` for both events, with the request headers\n   `Authorization: Bearer <token>` and `Content-Type: application/json`, and this request body for both:"
      },
      {
        "kind": "code",
        "language": "json",
        "label": "body",
        "text": "{\n  \"check\": \"$CODE\",\n  \"name\": \"$NAME\",\n  \"status\": \"$STATUS\",\n  \"tags\": \"$TAGS\",\n  \"at\": \"$NOW\"\n}"
      }
    ]
  },
  "graylog": {
    "title": "Graylog",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: graylog\n      tokens: [\"{{.GRAYLOG_TOKEN}}\"]\n      token_header: X-Tarsy-Token"
      },
      {
        "kind": "prose",
        "text": "2. Alerts, Notifications, *HTTP Notification*: URL `https://tarsy.example.com/webhooks/prod`, with the API key `X-Tarsy-Token`, its secret `<token>`, and\n   *Send API key as header*.\n\nThe keys of an event tell the events of a definition apart. Graylog never tells that an event is over."
      }
    ]
  },
  "eventbridge": {
    "title": "Amazon EventBridge",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: eventbridge\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Make a connection and an API destination, and a rule that leads events to it. As Terraform:"
      },
      {
        "kind": "code",
        "language": "hcl",
        "label": "events.tf",
        "text": "resource \"aws_cloudwatch_event_connection\" \"tarsy\" {\n  name               = \"tarsy\"\n  authorization_type = \"API_KEY\"\n  auth_parameters {\n    api_key {\n      key   = \"Authorization\"\n      value = \"Bearer <token>\"\n    }\n  }\n}\n\nresource \"aws_cloudwatch_event_api_destination\" \"tarsy\" {\n  name                = \"tarsy\"\n  invocation_endpoint = \"https://tarsy.example.com/webhooks/prod\"\n  http_method         = \"POST\"\n  connection_arn      = aws_cloudwatch_event_connection.tarsy.arn\n}\n\nresource \"aws_cloudwatch_event_rule\" \"alarms\" {\n  name          = \"alarms-to-tarsy\"\n  event_pattern = jsonencode({ \"detail-type\" = [\"CloudWatch Alarm State Change\"] })\n}"
      },
      {
        "kind": "prose",
        "text": "An alarm ends with the state OK. Other events are known by their content, and fire. Events that SNS delivers to a source of type\n`cloudwatch` are read the same."
      }
    ]
  },
  "argocd": {
    "title": "Argo CD notifications",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: argocd\n      tokens: [\"{{.SENDER_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Add service, template and triggers to `argocd-notifications-cm`, the token to `argocd-notifications-secret`:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "argocd-notifications-cm.yaml",
        "text": "data:\n  service.webhook.tarsy: |\n    url: https://tarsy.example.com/webhooks/prod\n    headers:\n      - { name: Content-Type, value: application/json }\n      - { name: Authorization, value: Bearer $tarsy-token } # the key tarsy-token of the secret holds <token>\n  template.tarsy: |\n    webhook:\n      tarsy:\n        method: POST\n        body: |\n          {\n            \"app\": \"{{.app.metadata.name}}\",\n            \"project\": \"{{.app.spec.project}}\",\n            \"namespace\": \"{{.app.spec.destination.namespace}}\",\n            \"cluster\": \"{{.app.spec.destination.name}}\",\n            \"server\": \"{{.app.spec.destination.server}}\",\n            \"health\": \"{{.app.status.health.status}}\",\n            \"sync\": \"{{.app.status.sync.status}}\",\n            \"revision\": \"{{.app.status.sync.revision}}\",\n            \"repository\": \"{{.app.spec.source.repoURL}}\",\n            \"at\": \"{{.app.status.reconciledAt}}\",\n            \"url\": \"{{.context.argocdUrl}}/applications/{{.app.metadata.name}}\"\n          }\n  trigger.on-tarsy: |\n    - { when: app.status.health.status in ['Degraded', 'Missing', 'Healthy'], send: [tarsy], oncePer: app.status.health.status }"
      },
      {
        "kind": "prose",
        "text": "3. Subscribe the applications: the annotation `notifications.argoproj.io/subscribe.on-tarsy.tarsy: \"\"`.\n\nAn application is one alert. It ends when the application is healthy."
      }
    ]
  },
  "flux": {
    "title": "Flux",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: flux\n      signature:\n        secrets: [\"{{.FLUX_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. A provider and an alert:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy-notifications.yaml",
        "text": "apiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Provider\nmetadata: { name: tarsy, namespace: flux-system }\nspec:\n  type: generic-hmac\n  address: https://tarsy.example.com/webhooks/prod\n  secretRef: { name: tarsy } # the secret's key `token` holds the secret\n---\napiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Alert\nmetadata: { name: tarsy, namespace: flux-system }\nspec:\n  providerRef: { name: tarsy }\n  eventSeverity: info # errors, and the successes that end them\n  eventMetadata: { cluster: <cluster> }\n  eventSources:\n    - { kind: Kustomization, name: '*' }\n    - { kind: HelmRelease, name: '*' }"
      },
      {
        "kind": "prose",
        "text": "An object is one alert. It ends with a reason such as `ReconciliationSucceeded`. Other information changes nothing."
      }
    ]
  },
  "github": {
    "title": "GitHub",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: github\n      signature:\n        secrets: [\"{{.GITHUB_WEBHOOK_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. Settings, Webhooks, *Add webhook*: payload URL `https://tarsy.example.com/webhooks/prod`, content type `application/json`, the secret, and the events\n   *Workflow runs*, *Deployment statuses*, *Dependabot alerts*, *Code scanning alerts* and *Secret scanning alerts*.\n\nA workflow on a branch, an environment and a security alert are one alert each. Other events change nothing."
      }
    ]
  },
  "jira": {
    "title": "Jira",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: jira\n      signature:\n        secrets: [\"{{.JIRA_WEBHOOK_SECRET}}\"]"
      },
      {
        "kind": "prose",
        "text": "2. System, WebHooks, *Create a WebHook*: URL `https://tarsy.example.com/webhooks/prod`, the secret, a filter such as\n   `project = OPS AND type = Incident`, and the events issue created, updated and deleted.\n\nAn issue is one alert, until its status is of the category *Done*. Alerts of Jira Service Management are of the type `opsgenie`."
      }
    ]
  },
  "glitchtip": {
    "title": "GlitchTip",
    "parts": [
      {
        "kind": "prose",
        "text": "1. Name the source. GlitchTip can set no header, so the token is in the address:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: glitchtip\n      tokens: [\"{{.GLITCHTIP_TOKEN}}\"]\n      tokens_in_url: true"
      },
      {
        "kind": "prose",
        "text": "2. Project settings, Alerts, *Add alert recipient*: *General (slack-compatible) webhook* with the URL\n   `https://tarsy.example.com/webhooks/prod?token=<token>`.\n\nAn issue is one alert, which GlitchTip never tells to be over. A monitored site is over when it is back."
      }
    ]
  },
  "cloudevents": {
    "title": "CloudEvents, Azure Event Grid",
    "parts": [
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: cloudevents\n      tokens: [\"{{.EVENTS_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "Structured and binary events, and batches of at most 100. Their `data` is read as in the next section. Without a fingerprint,\nsource, type, subject and the names in the data identify an alert. A type may end with the state: `com.example.disk.resolved`.\nAzure Event Grid sends them when the event subscription has the schema *Cloud Event Schema v1.0*; the endpoint is then\n`https://tarsy.example.com/webhooks/prod`, with the delivery property `Authorization`. A binary event:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "command",
        "text": "curl -sS https://tarsy.example.com/webhooks/prod -H 'Authorization: Bearer <token>' -H 'Content-Type: application/json' \\\n  -H 'ce-specversion: 1.0' -H 'ce-id: 1' -H 'ce-source: /backup' -H 'ce-type: com.example.backup' -H 'ce-subject: db-03' \\\n  -d '{ \"title\": \"Backup of db-03 failed\", \"severity\": \"high\", \"labels\": { \"host\": \"db-03\" } }'"
      }
    ]
  },
  "generic": {
    "title": "Anything else",
    "parts": [
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: generic\n      tokens: [\"{{.GENERIC_TOKEN}}\"]"
      },
      {
        "kind": "prose",
        "text": "JSON in these keys, or a list of it; each of them may be missing:"
      },
      {
        "kind": "code",
        "language": "sh",
        "label": "command",
        "text": "curl -sS https://tarsy.example.com/webhooks/prod -H 'Authorization: Bearer <token>' -H 'Content-Type: application/json' -d '{\n  \"title\": \"Backup failed\", \"severity\": \"high\", \"state\": \"firing\", \"fingerprint\": \"backup/db-03\",\n  \"labels\": { \"host\": \"db-03\" }, \"annotations\": { \"text\": \"exit status 1\" },\n  \"starts_at\": \"2026-11-22T10:00:00Z\", \"ends_at\": null, \"url\": \"https://example.com/backup\"\n}'"
      },
      {
        "kind": "prose",
        "text": "`state` is over with `resolved`, `ok`, `closed` and the like; anything else fires, `0` and `false` too. `group` and `episode` are\nunderstood too. Without a state, a title such as `[RESOLVED] Disk full` tells it.\n\nWhatever else stands in the JSON is kept: short values become labels, and agents get the whole of it. Without a title or severity, both\nare read from the content, as in a text. Without a fingerprint, the content identifies the alert: names, ids and texts, but no times,\nstates, severities and measurements. Forms and plain text are read, too. A body in which nothing can be read is refused with 422.\n\nJSON of another form is mapped. A value is a path, a text with paths in braces, a constant, or a list of which the first with a value counts:"
      },
      {
        "kind": "code",
        "language": "yaml",
        "label": "tarsy.yaml",
        "text": "intake:\n  sources:\n    prod:\n      type: generic\n      tokens: [\"{{.GENERIC_TOKEN}}\"]\n      mapping:\n        alerts: $.events[*]\n        title: ['{$.check.name} on {$.check.host}', $.check.host]\n        severity: $.level\n        severities: { '1': critical, '2': error }\n        state: $.status\n        resolved_values: [green, back*]\n        ignored_values: [acknowledged]\n        fingerprint: '{$.check.host}/{$.check.id}'\n        labels: { host: '$.check.host', app: '$.tags[\"k8s.io/app\"]', team: storage }"
      },
      {
        "kind": "prose",
        "text": "Mapped labels replace the short values, and mapped annotations replace the whole body."
      }
    ]
  }
};
