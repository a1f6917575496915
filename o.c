int main(int c,char**v){int x=2147483647; return x+c;}
