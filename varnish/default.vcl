vcl 4.1;

# {{title}}
{{#each notes}}
# {{this}}
{{/each}}

{{#if measure}}
{{> counters}}

{{/if}}
# {{transportWords}}
backend app {
{{#if path}}
    .path = {"{{path}}"};
{{else}}
    .host = "{{host}}";
    .port = "{{port}}";
{{/if}}
    .connect_timeout = {{patience}};
    .first_byte_timeout = {{patience}};
    .between_bytes_timeout = {{patience}};
}

sub vcl_recv {
    set req.http.X-Forwarded-Proto = "http";
{{#if cache}}
    # Looked for in the cache by Varnish's own rules: GET and HEAD, without Cookie and Authorization.
    # {{lockWords}}
    set req.hash_ignore_busy = {{#if lock}}false{{else}}true{{/if}};
{{else}}
    # Nothing is kept.
    return (pass);
{{/if}}
}

sub vcl_backend_fetch {
{{#if pooled}}
    # Connections are kept for backend_idle_timeout, below Node's own keepAliveTimeout (5 s by default, so raise it in
    # the app): when Node closes first, a request can meet a closing connection and become a 503.
{{else}}
    # The app is told, and closes it.
    set bereq.http.Connection = "close";
{{/if}}
}

sub vcl_backend_response {
{{#if cache}}
    if (!beresp.http.Cache-Control && !beresp.http.Expires) {
        # For answers that do not say it themselves.
        if (beresp.status == 200 || beresp.status == 302) {
            set beresp.ttl = {{cache}};
        } else {
            set beresp.ttl = 0s;
        }
    }
    # {{staleWords}}
    set beresp.grace = {{grace}};
{{#if stale}}
    if (beresp.http.Cache-Control ~ "(?i)(must|proxy)-revalidate|no-cache|s-maxage") {
        # Nobody may get this one expired (RFC 9111, 4.2.4).
        set beresp.grace = 0s;
    }
{{/if}}
    # For so long an expired answer with a validator is renewed by a 304.
    set beresp.keep = 10m;
{{/if}}
{{#if gzip}}
    # Answers are compressed as they come. Varnish adds Vary by itself.
    if (beresp.http.Content-Type ~ "^(text/|application/(javascript|json|manifest\+json|xml)|image/svg\+xml)") {
        set beresp.do_gzip = true;
    }
{{/if}}
}

sub vcl_deliver {
{{#if cache}}
    if (obj.hits > 0) {
        set resp.http.X-Cache-Status = "HIT";
    } else {
        set resp.http.X-Cache-Status = "MISS";
    }
{{/if}}
{{#if measure}}
    # For the suite: the request is counted, and told where its answer is not plainly right.
    C{
        __sync_fetch_and_add(requests, 1);
    }C
    if ((resp.status < 200 || resp.status > 299) && resp.status != 304{{#if cache}} || obj.hits == 0{{/if}}) {
        C{
            fprintf(noted, "%.3f %ld {{#if cache}}%s{{else}}-{{/if}}\n", VRT_r_now(ctx), (long)VRT_r_resp_status(ctx)
                {{#if cache}}, VRT_r_obj_hits(ctx) > 0 ? "HIT" : "MISS"{{/if}});
            fflush(noted);
        }C
    }
{{/if}}
}
