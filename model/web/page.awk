# Puts the parts of the page where play.html has a line such as <!-- script -->. Comments that fill a line
# stay in the repository: they would be a tenth of the scripts. Two spaces of indentation become a tab.
function indented(line,    tabs) {
  while (sub(/^  /, "", line)) tabs = tabs "\t"
  return tabs line
}

function all(files,    n, i, name, line) {
  n = split(files, name, " ")
  for (i = 1; i <= n; i++) {
    while ((getline line < name[i]) > 0)
      if (line !~ /^ *\/\/ /) print indented(line)
    close(name[i])
  }
}

function pack(files,    n, i, name, line, id, command) {
  n = split(files, name, " ")
  for (i = 1; i <= n; i++) {
    id = name[i]
    sub(/.*\//, "", id)
    printf "<script type=\"text/plain\" id=\"%s\">", id
    # A treebank goes without each sentence as text and its number: its words stand below.
    command = (id ~ /\.conllu$/ ? "grep -v -e '^# text = ' -e '^# sent_id = ' " : "cat ") name[i] \
              " | gzip -9nc | base64 -w 0"
    while ((command | getline line) > 0) printf "%s", line
    close(command)
    print "</script>"
  }
}

/^<!-- style -->$/ { all(css); next }
/^<!-- early -->$/ { all(early); next }
/^<!-- script -->$/ { all(script); next }
/^<!-- notices -->$/ { all(notices); next }
/^<!-- worker -->$/ { all(worker); next }
/^<!-- first -->$/ { pack(first); next }
/^<!-- packed -->$/ { pack(packed); next }
{ gsub(/<!-- version -->/, version); print }
